// How much a change matters, and why, in a sentence.
//
// Owns: severity and reason. The rules are few and fixed so that a person can foresee them:
// high for what moves money, time, duty, law or who is bound; low for what follows from renumbering, for pure moves and for punctuation; medium otherwise.
import type { Change } from '../contract/comparison.ts';
import { hasModal, modalForceDiffers, negationDiffers, topicsOf, type Edit, type Terms, type Topic } from './topics.ts';

export interface Described {
  readonly kind: Change['kind'];
  readonly beforePath: string;
  readonly afterPath: string;
  readonly heading: string;
  readonly edits: readonly Edit[];
  readonly words: readonly string[];
  /** Every cross-reference that differs still points at the same clause, which has another number now. */
  readonly referencesFollow: boolean;
  /** The term whose definition moved. */
  readonly term: string | null;
}

export interface Judgement {
  readonly topics: readonly Topic[];
  readonly severity: Change['severity'];
  readonly reason: string;
}

const TOPIC_NAMES: Record<Topic, string> = {
  amount: 'An amount or rate',
  date: 'A date',
  period: 'A period of time',
  party: 'A party',
  definedTerm: 'A defined term',
  modal: 'A duty or permission',
  negation: 'A negation or exception',
  crossReference: 'A cross-reference',
  law: 'A law, court or jurisdiction',
  wording: 'Wording',
};
/** Clauses whose coming or going a reviewer is always told first. */
const CRITICAL =
  /liabilit|indemn|terminat|governing law|jurisdiction|disput|arbitrat|assign|confidential|payment|fees|warrant|intellectual property|ownership|non-?compet|exclusiv|insurance|renew|limitation|责任|赔偿|终止|解除|适用法律|争议|保密|付款|知识产权/i;
const GRAVE: readonly Topic[] = ['amount', 'date', 'period', 'party', 'law'];
/** A sentence put in or taken out in one piece is a new provision, not a changed verb. */
const LONG_EDIT = 12;

export function judge(change: Described, terms: Terms): Judgement {
  if (change.term !== null) {
    const edited = change.kind === 'movedChanged';
    return {
      topics: ['definedTerm'],
      severity: edited ? 'medium' : 'low',
      reason: `The definition of “${change.term}” moved from ${place(change.beforePath).slice(3)} to ${place(change.afterPath).slice(3)}${edited ? ' and reads differently' : ''}.`,
    };
  }
  const { kind } = change;
  if (kind === 'inserted' || kind === 'deleted') return judgeWhole(change, terms);
  if (kind === 'moved') return { topics: [], severity: 'low', reason: movedReason(change) };
  if (kind !== 'renumbered') return judgeEdited(change, terms);
  const reason = `The number changed from ${change.beforePath || 'none'} to ${change.afterPath || 'none'}; the words did not.`;
  return { topics: [], severity: 'low', reason };
}

function movedReason(change: Described): string {
  if (change.beforePath === change.afterPath)
    return `The same words stand at another place ${change.afterPath === '' ? 'in the document' : `in ${change.afterPath}`}.`;
  return `The same words now stand ${place(change.afterPath)} instead of ${place(change.beforePath)}.`;
}

function place(path: string): string {
  return path === '' ? 'in unnumbered text' : `in ${path}`;
}

function judgeWhole(change: Described, terms: Terms): Judgement {
  // In a whole provision a "not" or a capitalised term says nothing; that it defines one does.
  const defines = change.edits.some((edit) => edit.defines);
  const topics = topicsOf(change.edits, terms).filter((topic) => topic !== 'wording' && topic !== 'negation' && (topic !== 'definedTerm' || defines));
  const verb = change.kind === 'inserted' ? 'added' : 'removed';
  const shown = topics.length === 0 ? (['wording'] as const) : topics;
  if (!change.words.some((word) => /[\p{L}\p{N}]/u.test(word))) return { topics: ['wording'], severity: 'low', reason: `Only punctuation was ${verb}.` };
  if (CRITICAL.test(change.heading)) return { topics: shown, severity: 'high', reason: `Text on "${change.heading}" was ${verb}.` };
  const grave = topics.filter((topic) => GRAVE.includes(topic));
  if (hasModal(change.words)) {
    const about = grave.length > 0 ? `; it concerns ${list(grave)}` : '';
    return { topics: shown, severity: grave.length > 0 ? 'high' : 'medium', reason: `A provision that creates a duty or a right was ${verb}${about}.` };
  }
  if (grave.length > 0) return { topics: shown, severity: 'medium', reason: `Text was ${verb} that concerns ${list(grave)}.` };
  return { topics: shown, severity: change.words.length <= 6 ? 'low' : 'medium', reason: `Text was ${verb} that states no duty, amount or date.` };
}

function list(topics: readonly Topic[]): string {
  return topics.map((topic) => TOPIC_NAMES[topic].toLowerCase()).join(', ');
}

function judgeEdited(change: Described, terms: Terms): Judgement {
  const before =
    change.kind === 'movedChanged'
      ? `Moved from ${place(change.beforePath).slice(3)} and edited. `
      : change.kind === 'merged'
        ? `${title(change.beforePath)} became part of ${change.afterPath || 'unnumbered text'}. `
        : change.kind === 'split'
          ? `${title(change.afterPath)} was split off from ${change.beforePath || 'unnumbered text'}. `
          : '';
  if (change.edits.length === 0) return { topics: [], severity: 'low', reason: `${before}The words are the same.` };
  const topics = topicsOf(change.edits, terms);
  const judged = severityOf(change, topics);
  return { topics, severity: judged.severity, reason: before + judged.reason };
}

function title(path: string): string {
  return path === '' ? 'An unnumbered paragraph' : path;
}

function severityOf(change: Described, topics: readonly Topic[]): { severity: Change['severity']; reason: string } {
  const short = change.edits.filter((edit) => (edit.removed.length > 0 && edit.added.length > 0) || edit.removed.length + edit.added.length < LONG_EDIT);
  if (change.referencesFollow && topics.every((topic) => topic === 'crossReference'))
    return { severity: 'low', reason: 'The cross-reference follows the new numbering and still points at the same clause.' };
  const grave = topics.find((topic) => GRAVE.includes(topic));
  if (grave !== undefined) return { severity: 'high', reason: `${TOPIC_NAMES[grave]} differs: ${example(change.edits, terms(grave))}.` };
  if (topics.includes('negation') && negationDiffers(short))
    return {
      severity: 'high',
      reason: `A negation or exception differs: ${example(change.edits, /^(?:not|no|never|none|neither|nor|without|except|unless|excluding|cannot|nothing|不|未|无|非|除|勿)$|n['’]t$/i)}.`,
    };
  if (topics.includes('modal')) {
    const modal = /^(?:shall|will|must|may|can|should|could|might|would)$/i;
    if (modalForceDiffers(short)) return { severity: 'high', reason: `The force of a duty or permission differs: ${example(change.edits, modal)}.` };
    if (!modalForceDiffers(change.edits)) return { severity: 'low', reason: `Another verb with the same force: ${example(change.edits, modal)}.` };
    return { severity: 'medium', reason: `A provision was added or taken out: ${example(change.edits, modal)}.` };
  }
  if (topics.includes('crossReference')) return { severity: 'medium', reason: `A cross-reference differs: ${example(change.edits, /[\p{N}A-Z]/u)}.` };
  if (topics.includes('definedTerm')) return { severity: 'medium', reason: `A defined term differs: ${example(change.edits, /^\p{Lu}/u)}.` };
  return wordingSeverity(change.edits);
}

/** Words that show the topic best: the first edit in which the pattern occurs. */
function example(edits: readonly Edit[], pattern: RegExp): string {
  const edit = edits.find(({ removed, added }) => [...removed, ...added].some((word) => pattern.test(word))) ?? edits[0]!;
  const show = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 57)}…` : text}”`;
  const [lead, tail] = aroundNumeral(edit);
  if (lead + tail !== '') return `${show(lead + edit.removedText + tail)} became ${show(lead + edit.addedText + tail)}`;
  if (edit.removed.length === 0) return `${show(edit.addedText)} was added`;
  if (edit.added.length === 0) return `${show(edit.removedText)} was taken out`;
  return `${show(edit.removedText)} became ${show(edit.addedText)}`;
}

const HAN_NUMERAL = /^[一二三四五六七八九十百千万亿两零〇壹贰叁肆伍陆柒捌玖拾佰仟]$/;
const HAN_MEASURE = /^[个工作日天周月年元圆]$/;

/** What stands before and after an edit inside a Chinese number, whose every character is a word: 十五日 became 二十日, not “二” was added. */
function aroundNumeral({ removed, added, before, after }: Edit): readonly [string, string] {
  if (![...removed, ...added].every((word) => HAN_NUMERAL.test(word)) || removed.length + added.length === 0) return ['', ''];
  const lead = before.slice(before.findLastIndex((word) => !HAN_NUMERAL.test(word)) + 1);
  const numeral = after.findIndex((word) => !HAN_NUMERAL.test(word));
  const end = after.findIndex((word, at) => at >= numeral && !HAN_MEASURE.test(word));
  return [lead.join(''), numeral === -1 ? after.join('') : after.slice(0, end === -1 ? after.length : end).join('')];
}

function terms(topic: Topic): RegExp {
  if (topic === 'party') return /^\p{Lu}/u;
  if (topic === 'law') return /^(?:\p{Lu}|laws?|courts?|jurisdiction)/u;
  return /\p{N}|^(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety|hundred|days?|months?|years?)$/iu;
}

function wordingSeverity(edits: readonly Edit[]): { severity: Change['severity']; reason: string } {
  const letters = (words: readonly string[]): string => words.join(' ').replace(/[^\p{L}\p{N}]+/gu, '');
  if (edits.every((edit) => letters(edit.removed) === letters(edit.added)))
    return { severity: 'low', reason: 'Only punctuation or the joining of words differs.' };
  if (edits.every((edit) => letters(edit.removed).toLowerCase() === letters(edit.added).toLowerCase()))
    return { severity: 'low', reason: `Only capital letters differ: ${example(edits, /\p{L}/u)}.` };
  // A replaced word is a nuance; words that carry meaning and were put in or taken out without a counterpart are a right or a limit more or less.
  const content = (words: readonly string[]): number =>
    words.filter(
      (word) =>
        /[\p{L}\p{N}]{4,}|\p{Script=Han}/u.test(word) &&
        !/^(?:this|that|such|from|with|their|which|have|been|each|other|into|upon|than|then|these|those|also|hereby|thereof)$/i.test(word),
    ).length;
  const grows = edits.some(({ removed, added }) => (removed.length === 0 || added.length === 0) && content([...removed, ...added]) >= 2);
  const replaced = edits.reduce((sum, { removed, added }) => sum + Math.max(content(removed), content(added)), 0);
  return { severity: grows || replaced >= 5 ? 'medium' : 'low', reason: `Wording differs: ${example(edits, /\p{L}/u)}.` };
}
