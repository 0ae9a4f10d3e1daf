// A party whose name is written in two ways: another legal form ("Acme Inc." and "Acme LLC"), or a letter that slipped.
//
// Rule: a company group has companies of like names; a name that the document itself introduces ("Acme Ltd., a subsidiary of ...") is another company.
import { findParties } from '../extract/parties.ts';
import { Source } from '../extract/source.ts';
import type { Span } from '../contract/document.ts';
import type { Context, Draft, Place, Rule } from './context.ts';

/** Legal forms with their spellings: different spellings are one form. */
const FORMS: readonly (readonly [string, string])[] = [
  ['Inc', 'Inc|Incorporated'],
  ['Corp', 'Corp|Corporation'],
  ['LLC', 'L\\.?L\\.?C'],
  ['LLP', 'L\\.?L\\.?P'],
  ['LP', 'L\\.?P'],
  ['Ltd', 'Ltd|Limited'],
  ['PLC', 'P\\.?L\\.?C'],
  ['GmbH', 'GmbH'],
  ['AG', 'AG'],
  ['BV', 'B\\.?V'],
  ['SA', 'S\\.?A'],
  ['Co', 'Co|Company'],
];
const FORM = new RegExp(`^[,\\s]*(?<form>${FORMS.map(([, spellings]) => `(?:${spellings})`).join('|')})\\b\\.?`, 'i');
const ENDING = new RegExp(`[,\\s]+(?:${FORMS.map(([, spellings]) => `(?:${spellings})`).join('|')})\\.?$`, 'i');
/** Words around a name that make it another company. */
const OTHER_COMPANY =
  /general partner|\bsource:|subsidiar|affiliate|parent|formerly|f\/k\/a|successor|predecessor|wholly[- ]owned|d\/b\/a|division|holding|assign|name|trustee|merge|convert|guarant/i;
/** Another company beside it. */
const COMPANY = /\b(?:Inc|LLC|Ltd|LTD|GmbH|Corp|PLC|L\.P)\b/;
/** A shorter name is also a word. */
const SHORTEST = 4;

interface Party extends Place {
  readonly base: string;
  readonly form: string;
  readonly written: string;
}

const formOf = (written: string): string => FORMS.find(([, spellings]) => new RegExp(`^(?:${spellings})\\.?$`, 'i').test(written))?.[0] ?? written;
/** Letters and figures alone, in one case. */
const fold = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

export const partyNames: Rule = (context) => {
  const named = findParties(new Source(context.document)).map(({ value, span }) => ({ value, span }));
  const parties = [...named, ...introduced(context, new Set(named.map(({ value }) => fold(value))))].flatMap(({ value, span }): Party[] => {
    const form = ENDING.exec(value)?.[0].replace(/[,\s]+/g, '');
    const base = value.replace(ENDING, '');
    return form === undefined || base.length < SHORTEST || !/\p{L}/u.test(base)
      ? []
      : [{ base, form: formOf(form), written: value, blockId: span.blockId, start: span.start, end: span.end }];
  });
  const known = new Set(parties.map(({ base, form }) => `${fold(base)} ${form}`));
  // Two parties of one name and different forms are two companies.
  return parties
    .filter((party) => parties.every((other) => other === party || fold(other.base) !== fold(party.base)))
    .flatMap((party) => driftOf(context, party, known));
};

/** A company with its legal form and, soon after, the name it is called by: "Acme Widgets, Inc., a Delaware corporation (“Acme”)". */
const INTRODUCED = new RegExp(
  `(?<!(?:\\p{Lu}[\\p{L}.&’']*|&) )(?<name>(?:\\p{Lu}[\\p{L}&’']+ ){1,3}\\p{Lu}[\\p{L}&’']+,? (?:${FORMS.map(([, spellings]) => `(?:${spellings})`).join('|')})\\b\\.?)(?=[^()]{0,160}\\((?:the |each |hereinafter )?["“])`,
  'gu',
);
/** Blocks in which an agreement introduces its sides. */
const PREAMBLE = 15;

function introduced({ document, blocks }: Context, known: ReadonlySet<string>): { value: string; span: Span }[] {
  return blocks.slice(0, PREAMBLE).flatMap((block) =>
    [...block.text.slice(0, 4_000).matchAll(INTRODUCED)].flatMap((match) => {
      const value = match.groups!['name']!;
      return known.has(fold(value))
        ? []
        : [{ value, span: { documentId: document.id, blockId: block.id, start: match.index, end: match.index + value.length } }];
    }),
  );
}

/** A line of a signature is shorter than a sentence. */
const SIGNED = 60;

function nearby({ blocks, order }: Context, blockId: string): string {
  const at = order.get(blockId) ?? 0;
  return blocks
    .slice(Math.max(0, at - 2), at + 4)
    .map(({ text }) => text)
    .join(' ');
}

function driftOf(context: Context, party: Party, known: ReadonlySet<string>): Draft[] {
  const found: Draft[] = [];
  const seen = new Set<string>();
  for (const { block, start, end } of context.words.uses(party.base)) {
    const written = FORM.exec(block.text.slice(end, end + 20));
    const form = written && formOf(written.groups!['form']!.replace(/\.$/, ''));
    // "The Acme Company" in small letters is a way to speak, and "Acme Co" a part of another name.
    if (!written || !form || form === party.form || seen.has(form) || known.has(`${fold(party.base)} ${form}`) || !/^[,\s]*\p{Lu}/u.test(written[0])) continue;
    // Only the sentence around it: what stands before its beginning speaks of something else.
    const before = block.text.slice(Math.max(0, start - 60), start).replace(/^.*[.;]\s(?=\p{Lu})/su, '');
    const around = before + block.text.slice(end + written[0].length, end + 90);
    const own = /^[^.;]{0,80}[(（][^()]{0,40}["“]/.test(block.text.slice(end + written[0].length, end + 120));
    const partOfName =
      /\p{Lu}[\p{L}&.'’-]*,?\s+$/u.test(block.text.slice(Math.max(0, start - 20), start)) &&
      !/(?:The|And|By|To|Of|Between|AND|BETWEEN|BY|TO|OF|THE)\s+$/u.test(block.text.slice(0, start));
    // In a list of companies each is its own, and "Go Call, Co-Op" goes on.
    const listed = COMPANY.test(around) || block.text[end + written[0].length] === '-' || /&\s*$/.test(block.text.slice(0, start));
    // "an agreement between Acme Ltd. and ..." tells of the parties of another agreement.
    const elsewhere =
      /agreement[^.;]{0,60}\b(?:between|among|with)\s$/i.test(before) || (/general partner/i.test(nearby(context, block.id)) && block.text.length < SIGNED);
    if (own || partOfName || listed || elsewhere || OTHER_COMPANY.test(around)) continue;
    seen.add(form);
    found.push({
      rule: 'party-name',
      severity: 'warning',
      message: `“${block.text.slice(start, end) + written[0].replace(/\s+$/, '')}” stands here; the party is called “${party.written}”.`,
      blockId: block.id,
      start,
      end: end + written[0].length,
      related: [{ blockId: party.blockId, start: party.start, end: party.end }],
    });
  }
  return found;
}
