// Rules on exhibits: those that are referred to and not there, and those that are there and never referred to.
//
// Owns: where an exhibit's title may stand (a clause, a heading, a line of capitals) and how lists name it ("Exhibits A through D").
// Rule: a part of an exhibit ("Schedule 3.7"), a form of an agency and another document's exhibit are nobody's fault here.
import type { Block, Clause, Reference } from '../contract/document.ts';
import { placeOf, type Context, type Draft, type Rule } from './context.ts';
import { isElsewhere } from './references.ts';

const EXHIBIT = /^(?:exhibit|schedule|annex|appendix|attachment|附件|附表|附录)/i;

export const missingExhibits: Rule = (context) => {
  const titles = new Titles(context);
  const seen = new Set<string>();
  return context.document.references.flatMap((reference): Draft[] => {
    const { text, targetId, span } = reference;
    const key = text
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .replace(/^(\p{L}{5,})s /u, '$1 ');
    if (targetId !== null || !EXHIBIT.test(text) || isElsewhere(context, reference) || seen.has(key) || isOrdinary(context, reference)) return [];
    // A part of an exhibit ("Schedule 3.7") is a disclosure inside another document as often as not.
    if (/\d\.\d|\(/.test(text) || titles.has(key)) return [];
    seen.add(key);
    return [
      {
        rule: 'missing-exhibit',
        severity: 'error',
        message: `“${text}” is referred to, but it is not in this document.`,
        ...placeOf(span),
      },
    ];
  });
};

/** Forms of the Securities and Exchange Commission and tables of tax law: Schedule 13D, Schedule TO, Schedule K-1. */
const FORM = /^schedule\s+(?:13[DEG]|14[A-Z]|TO\b|K-1|C\b\s*\()/i;
const LEADS_IN =
  /(?:\b(?:in|on|as|to|of|see|with|by|under|per|and|or|the|this|that|each|attached|at|from|into|is|are|for|hereto|entitled|following)|[,(;:“"'–-])\s*$/i;

/** A work schedule, a form of an agency, or a title that a reader of files ran into the line before it. */
function isOrdinary(context: Context, { text, span }: Reference): boolean {
  const block = context.blockOf.get(span.blockId)?.text ?? '';
  const [before, after] = [block.slice(0, span.start), block.slice(span.end)];
  if (/^\p{Ll}/u.test(text) && !/\d$/.test(text)) return true;
  if (FORM.test(text + after.slice(0, 3)) || /^\s+to\s+(?:part\s+)?\d+\s+C\.?F\.?R/i.test(after)) return true;
  return after.trim() === '' && before.trim() !== '' && !LEADS_IN.test(before);
}

/** Beginnings of blocks and titles inside of text without lines, where an exhibit's name may stand whether the parser made a clause of it or not. */
class Titles {
  private readonly heads: readonly string[];
  private readonly capitals: ReadonlySet<string>;

  constructor({ blocks }: Context) {
    const heads = blocks
      .filter(({ text }) => text.length < LONGEST_TITLE)
      .map(({ text }) =>
        text
          .slice(0, 60)
          .toLowerCase()
          .replace(/[“”"'*_[\]]/g, '')
          .replace(/\s+/g, ' ')
          .trimStart(),
      );
    this.heads = heads.filter((head) => EXHIBIT.test(head));
    // In a text without lines the title stands inside, in capitals.
    this.capitals = new Set(
      blocks.flatMap(({ text }) =>
        [...text.matchAll(/\b(?:EXHIBIT|SCHEDULE|ANNEX|APPENDIX|ATTACHMENT) ["“]?[A-Z\d-]{1,4}\b/g)].map(([title]) => title.replace(/["“]/, '').toLowerCase()),
      ),
    );
  }

  has(key: string): boolean {
    const bare = key.replace(/[“”"]/g, '');
    return this.capitals.has(bare) || this.heads.some((head) => head.startsWith(bare) && !/^[\p{L}\p{N}]/u.test(head.slice(bare.length)));
  }
}

/** A longer block that begins with an exhibit's name is a sentence about it. */
const LONGEST_TITLE = 200;

/** "Exhibit A" at the start of the clause's own text: what the exhibit is called. */
const LABEL =
  /^(?:(exhibit|schedule|annex|appendix|attachment|addendum)s?\s+([A-Z](?:-\d{1,2})?|\d{1,2}|[IVX]{1,4})|(附件|附表|附录)\s?([一二三四五六七八九十\d]{1,3}|[A-Z])?)$/i;

export const unreferencedExhibits: Rule = (context) => {
  const tops = context.document.clauses.filter(({ parentId, number }) => parentId === null && LABEL.test(number.trim()));
  const inside = new Set(tops);
  for (const clause of context.document.clauses) if (clause.parentId !== null && inside.has(context.clauses.get(clause.parentId)!)) inside.add(clause);
  // A file of exhibits alone is an extract of a filing; redacted references ("Exhibit [*]") may be to any of them.
  if (inside.size === context.document.clauses.length || context.blocks.some(({ text }) => UNKNOWN.test(text))) return [];
  const speaking = context.blocks.filter(({ text }) => /exhibit|schedule|annex|appendi|attachment|addend|附/i.test(text));
  return tops.flatMap((clause): Draft[] => {
    const span = clause.spans[0];
    if (span === undefined || mentioned(speaking, clause)) return [];
    return [
      {
        rule: 'unreferenced-exhibit',
        severity: 'info',
        message: `${clause.number} is part of the document, but nothing in it refers to it.`,
        ...placeOf(span),
        end: Math.min(span.end, span.start + clause.number.length),
      },
    ];
  });
};

/** "the First Schedule", "Exhibit [*]". */
const UNKNOWN =
  /\b(?:first|second|third|fourth|fifth|sixth)\s+(?:schedule|annex|exhibit|appendix)\b|\b(?:schedule|annex|exhibit|appendix|attachment)s?\s+\[[*●_\s]/i;

/** Plurals of what an exhibit may be called. */
const PLURALS: Readonly<Record<string, string>> = {
  exhibit: 'exhibits',
  schedule: 'schedules',
  annex: 'annexes',
  appendix: 'appendi(?:ces|xes)',
  attachment: 'attachments',
  addendum: 'addend(?:a|ums)',
};

/** Named anywhere but in its own title and in tables of contents, alone or in a list or range ("Exhibits A through D"). */
function mentioned(blocks: readonly Block[], clause: Clause): boolean {
  const label = LABEL.exec(clause.number.trim())!;
  const kind = label[1] ?? label[3]!;
  // Exhibit D-1 is a part of Exhibit D, which the agreement refers to.
  const id = (label[2] ?? label[4] ?? '').replace(/-\d+$/, '');
  const western = label[1] !== undefined;
  const plural = PLURALS[kind.toLowerCase()] ?? kind;
  const pattern = western
    ? // Numbers and "and" before it in a list are words of up to six signs, parted by commas or blanks.
      new RegExp(`\\b(?:${kind}|${plural})\\b\\s*(?:(?:[\\w.-]{1,6}|through|–)[,\\s]+){0,24}?["“]?${id}(?![\\w])`, 'i')
    : new RegExp(`${kind}\\s?${id}`);
  const range = western ? new RegExp(`\\b${plural}\\s+\\w{1,3}\\s*(?:through|to|[–-])\\s*\\w{1,3}\\b`, 'i') : null;
  const own = clause.spans[0]?.blockId;
  return blocks.some(({ id: blockId, text, kind: block }) => {
    if (blockId === own) return false;
    const at = pattern.exec(text);
    if (at === null) return range?.test(text) === true;
    // A running title or a second title line of the exhibit itself is no reference to it.
    return block !== 'heading' || at.index > 0;
  });
}
