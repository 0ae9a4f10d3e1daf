// Text whose line breaks were lost: "... as follows: 1. Definitions 1.1. "API" means ... 1.2. "Affiliate" means ..." in one paragraph.
//
// Owns: cutting such a block of a plain text into one block per number. Filings that were saved as text (EDGAR) often look so.
// Method: every place that could begin a number is tried in order; it is taken where it goes on with the numbers taken before it, or begins a
// level below them, and no word before it makes it a mention ("Section 1.2", "and 3.").
// Rule: cuts only in flow texts without boxes, tables and emphasis; the blocks joined by one space are the text that was read.
import type { Block, Warning } from '../contract/document.ts';
import { isContentsTitle, readLabel } from '../ingest/labels.ts';
import type { RawDocument } from '../ingest/raw.ts';

/** A paragraph of one sentence and its number is shorter; below this nothing is lost by leaving it whole. */
const SHORTEST = 160;
/** Characters in which the second item of a list must come for the first to be one; keeps the pass linear in a text of one paragraph. */
const AHEAD = 6000;
const CANDIDATE =
  /(?<=\s)(?:(?:ARTICLE|Article|SECTION|Section|§)\s?(?:[IVXLC]{1,7}|\d{1,2}(?:\.\d{1,2})*)\.?:?|\d{1,2}(?:\.\d{1,2}){1,4}\.?|\d{1,2}\.|\([a-zA-Z0-9]{1,4}\)|(?:EXHIBIT|SCHEDULE|ANNEX|APPENDIX)\s[A-Z0-9]{1,2})(?=\s+["“'([]?[\p{Lu}]|\s*$)/gu;
/** Before a number these make it a mention, an amount or a part of a date. */
const MENTION =
  /(?:\b(?:sections?|articles?|clauses?|paragraphs?|subsections?|sub-?clauses?|sub-?paragraphs?|exhibits?|schedules?|annex|appendix|items?|nos?\.?|rules?|parts?|and|or|to|of|in|under|through|with|by|per|the|this|see|than|is|at|a|an|its|page|version|level|phase|january|february|march|april|may|june|july|august|september|october|november|december)|[,$§#&/–-])\s*$/i;
const SENTENCE_END = /[.:;!?”"’)\]]\s*$/;

export function splitRunOn(raw: RawDocument): RawDocument {
  if (raw.kind !== 'text') return raw;
  const tracker = new Tracker();
  let changed = false;
  const moved = new Map<string, readonly number[]>();
  const blocks = raw.blocks.flatMap((block) => {
    if (block.cell !== null || block.kind === 'heading' || raw.emphasis.has(block.id)) return [block];
    tracker.begin(block);
    if (block.text.length < SHORTEST) return [block];
    const cuts = cutsOf(block.text, tracker);
    if (cuts.length === 0) return [block];
    changed = true;
    moved.set(block.id, cuts);
    return cutBlock(block, cuts);
  });
  return changed ? { ...raw, blocks, warnings: raw.warnings.map((warning) => movedInto(warning, moved)) } : raw;
}

/** A warning about a place of a block that was cut is about the same place of one of its pieces. */
function movedInto(warning: Warning, moved: ReadonlyMap<string, readonly number[]>): Warning {
  const { span } = warning;
  const cuts = span && moved.get(span.blockId);
  if (!span || !cuts) return warning;
  const index = cuts.filter((cut) => cut <= span.start).length;
  const from = index === 0 ? 0 : (cuts[index - 1] as number);
  const blockId = index === 0 ? span.blockId : `${span.blockId}.${index}`;
  return { ...warning, span: { ...span, blockId, start: span.start - from, end: span.end - from } };
}

function cutBlock(block: Block, cuts: readonly number[]): Block[] {
  return [0, ...cuts].map((from, index): Block => {
    const text = block.text.slice(from, cuts[index] ?? block.text.length).trimEnd();
    const number = readLabel(text)?.number ?? null;
    const kind = index > 0 && number !== null && number.startsWith('(') ? 'listItem' : index === 0 ? block.kind : 'paragraph';
    return { ...block, id: index === 0 ? block.id : `${block.id}.${index}`, text, number: index === 0 ? block.number : number, kind };
  });
}

function cutsOf(text: string, tracker: Tracker): number[] {
  const cuts: number[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const at = match.index;
    const before = text.slice(Math.max(0, at - 24), at);
    if (MENTION.test(before) || inList(text.slice((cuts.at(-1) ?? 0) + LABEL_LENGTH, at), match[0])) continue;
    const follows = text.slice(at + match[0].length, at + match[0].length + 60);
    if (tracker.takes(match[0], SENTENCE_END.test(before), follows, text.slice(at, at + AHEAD))) cuts.push(at);
  }
  return cuts;
}

/** Longest bracket that a piece begins with. */
const LABEL_LENGTH = 6;

/** "(a) known; (b) public; (c) The ..." inside one piece: its items are no clauses, however the last of them begins. */
function inList(piece: string, candidate: string): boolean {
  if (!candidate.startsWith('(')) return false;
  const kind = /^\([a-z]/.test(candidate) ? /\([a-z]{1,4}\)\s/ : /^\([A-Z]/.test(candidate) ? /\([A-Z]{1,4}\)\s/ : /\(\d{1,2}\)\s/;
  return kind.test(piece);
}

/** The numbers taken so far: what may come next. */
class Tracker {
  /** [5, 2] after 5.2; what comes next is 5.2.1, 5.3 or 6. */
  private decimal: readonly number[] = [];
  /** Open brackets by form: (a) then (i). */
  private brackets: { readonly form: string; readonly value: number }[] = [];
  private article = 0;
  private section = 0;
  /** In a table of contents numbers come once and then again. */
  private listing = false;

  begin(block: Block): void {
    if (isContentsTitle(block.text)) this.listing = true;
    const label = block.number === null ? null : readLabel(block.text);
    const reading = label?.readings[0];
    if (reading?.form === '1' && !label?.weak) [this.decimal, this.brackets] = [reading.values, []];
    else if (reading?.form === 'article') this.setArticle(reading.values[0] ?? 0);
    else if (reading?.form === 'section') [this.section, this.brackets] = [reading.values[0] ?? 0, []];
    else if (reading?.form.startsWith('(')) this.bracket(label?.readings ?? [], true, '');
  }

  /** Whether the candidate is a number of the document; if so it is remembered. */
  takes(candidate: string, ended: boolean, after: string, rest: string): boolean {
    const label = readLabel(rest.slice(0, 200));
    const reading = label?.readings[0];
    if (!label || !reading) return false;
    // "violates Section 2.1 (Use)" in the middle of a sentence is a mention, whatever its number.
    if (/^\p{L}/u.test(candidate) && !ended) return false;
    if (reading.form === '1') return this.takesDecimal(reading.values, ended, candidate);
    if (reading.form === 'article') return ended || /^\s*[.:–—-]?\s*\p{Lu}{3}/u.test(after) ? this.takesArticle(reading.values[0] ?? 0) : false;
    if (reading.form === 'section') return this.takesSection(reading.values[0] ?? 0, ended);
    if (reading.form.startsWith('(')) return ended && this.bracket(label.readings, false, rest);
    return reading.form === 'schedule' && ended && /^[A-Z]{4}/.test(candidate);
  }

  private takesDecimal(values: readonly number[], ended: boolean, candidate: string): boolean {
    const last = this.decimal;
    const restart = values.length === 1 && values[0] === 1 && ended && (last.length === 0 || this.listing);
    const next = values.length <= last.length && samePrefix(values, last) && values.at(-1) === (last[values.length - 1] ?? 0) + 1;
    const deeper =
      values.length > last.length &&
      values.length <= last.length + 2 &&
      samePrefix([...last, 0], values) &&
      values.slice(last.length).every((value) => value === 1);
    const opens = values.length === 2 && values[1] === 1 && (values[0] === this.article || values[0] === (last[0] ?? 0) + 1);
    // "1.01": figures of two places are counted like 1.1.
    const padded = values.length === 2 && last.length === 1 && values[0] === last[0] && values[1] === 1;
    if (!(restart || next || deeper || opens || padded)) return false;
    // One figure and a point is weak: it ends a sentence as often as it begins a clause.
    if (values.length === 1 && !ended && !/^\d{1,2}\.$/.test(candidate)) return false;
    [this.decimal, this.brackets] = [values, []];
    return true;
  }

  private takesArticle(value: number): boolean {
    if (value !== this.article + 1 && value !== 1) return false;
    this.setArticle(value);
    return true;
  }

  private setArticle(value: number): void {
    [this.article, this.section, this.brackets] = [value, 0, []];
    if ((this.decimal[0] ?? 0) !== value) this.decimal = [];
  }

  private takesSection(value: number, ended: boolean): boolean {
    if (!ended || value !== this.section + 1) return false;
    [this.section, this.brackets] = [value, []];
    return true;
  }

  /** (b) after (a); a first bracket only where its second comes before the next number; `known` takes what stands at a block's beginning as it is. */
  private bracket(readings: readonly { readonly form: string; readonly values: readonly number[] }[], known: boolean, rest: string): boolean {
    for (let depth = this.brackets.length - 1; depth >= 0; depth--) {
      const open = this.brackets[depth]!;
      const next = readings.find((reading) => reading.form === open.form && reading.values[0] === open.value + 1);
      if (!next) continue;
      this.brackets.length = depth;
      this.brackets.push({ form: next.form, value: open.value + 1 });
      return true;
    }
    const first = readings.find((reading) => reading.values[0] === 1);
    if (!first || !(known || SECONDS[first.form]?.test(rest))) return false;
    this.brackets = this.brackets.filter((open) => open.form !== first.form);
    this.brackets.push({ form: first.form, value: 1 });
    return true;
  }
}

/** The second of a bracketed list as a clause of its own, before the next decimal number. */
const SECONDS: Readonly<Record<string, RegExp>> = {
  '(a)': /^(?:(?!\s\d{1,2}\.\d)[^])*?[.;:]\s+(?:(?:and|or)\s+)?\(b\)\s+["“]?\p{Lu}/u,
  '(i)': /^(?:(?!\s\d{1,2}\.\d)[^])*?[.;:]\s+(?:(?:and|or)\s+)?\(ii\)\s+["“]?\p{Lu}/u,
  '(1)': /^(?:(?!\s\d{1,2}\.\d)[^])*?[.;:]\s+(?:(?:and|or)\s+)?\(2\)\s+["“]?\p{Lu}/u,
  '(A)': /^(?:(?!\s\d{1,2}\.\d)[^])*?[.;:]\s+(?:(?:and|or)\s+)?\(B\)\s+["“]?\p{Lu}/u,
};

function samePrefix(a: readonly number[], b: readonly number[]): boolean {
  for (let index = 0; index < a.length - 1; index++) if (a[index] !== b[index]) return false;
  return true;
}
