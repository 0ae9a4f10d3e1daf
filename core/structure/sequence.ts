// Which level a number has, judged by the numbers before and after it.
//
// Owns: the stack of open numbers, (i) as roman or letter, restarts, numbers that are no numbers ("A. Smith").
// Method: a number goes on with an open sequence where it is its successor; it opens a level where it is a first; else it stays with its own form.
// Rule: looks at most one number ahead; the whole pass is linear in the number of blocks (the stack is at most MAX_OPEN deep).
import type { Label, Reading } from '../ingest/labels.ts';
import type { Item } from './items.ts';

export type Placed =
  | { readonly kind: 'text'; readonly item: Item }
  | {
      readonly kind: 'number';
      readonly item: Item;
      readonly form: string;
      /** Numbered ancestors. */
      readonly depth: number;
      /** The first number after an unnumbered heading that goes on with nothing: all open numbers but a schedule were closed. */
      readonly fresh: boolean;
    };

interface Open {
  readonly form: string;
  readonly values: readonly number[];
  readonly indent: number;
  readonly listLevel: number | null;
  readonly heading: boolean;
  readonly opens: boolean;
}

interface Choice {
  readonly reading: Reading;
  /** Length of the stack that stays below the new number. */
  readonly depth: number;
}

const MAX_OPEN = 24;
/** Numbers that are looked ahead for the second of "A.", "B.": a part of a charter holds forty numbers between them. */
const AHEAD = 60;
/** Forms with a rank of their own: a lower rank contains a higher one. Decimals and letters rank by where they are found. */
const RANKS: Readonly<Record<string, number>> = {
  schedule: 0,
  title: 0.5,
  编: 1,
  part: 1,
  部分: 1,
  chapter: 2,
  章: 2,
  article: 3,
  节: 3,
  section: 4,
  clause: 4,
  条: 4,
  款: 5,
  项: 6,
  目: 7,
};
const DECIMAL_RANK = 5;
/** Forms below which a list of plain figures begins, besides the ranked ones. */
const HOLDING: ReadonlySet<string> = new Set(['1', 'ordinal', 'A.', 'I.', '一、']);
const DOTTED: ReadonlySet<string> = new Set(['1', 'A.1']);
/** Words that also lead names of laws and things. */
const NAMING: ReadonlySet<string> = new Set(['chapter', 'part', 'title']);
/** Numbers above "4.1" that are written in another form: "Article IV", "Section 4", 第四条, "IV.". */
const HEADS_DECIMALS: ReadonlySet<string> = new Set(['article', 'section', 'clause', '条', '章', 'I.', 'A.', 'part']);

export function placeNumbers(found: readonly Item[]): Placed[] {
  const items = dropListedSchedules(found);
  const placer = new Placer();
  const labels = items.map((item) => item.label).filter((label) => label !== null);
  let passed = 0;
  return items.map((item) => {
    if (item.label !== null) passed++;
    return placer.place(item, labels.slice(passed, passed + AHEAD));
  });
}

/** "Exhibit A - Price List / Exhibit B - ..." one after the other is a list of exhibits where the same numbers come again, or the body comes after it. */
function dropListedSchedules(items: readonly Item[]): Item[] {
  const isSchedule = (item: Item | undefined): boolean => item?.label?.readings[0]?.form === 'schedule';
  const body = items.findIndex((item) => item.label !== null && !isSchedule(item) && !item.label.weak);
  const counts = new Map<string, number>();
  for (const item of items)
    if (item.label && isSchedule(item)) counts.set(item.label.number.toLowerCase(), (counts.get(item.label.number.toLowerCase()) ?? 0) + 1);
  return items.map((item, index) => {
    if (!item.label || !isSchedule(item)) return item;
    const key = item.label.number.toLowerCase();
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    const listed = isSchedule(items[index + 1]) || isSchedule(items[index - 1]);
    return listed && (left > 1 || index < body) ? { ...item, label: null, heading: false } : item;
  });
}

class Placer {
  private stack: Open[] = [];
  private paused = false;
  /** The heading's rank is declared by the source: then no bracketed list goes on across it. A bold line may be anything. */
  private declared = false;
  /** The last number had no text and may get its heading from the next line. */
  private untitled = false;
  /** Last value of each ranked form. */
  private readonly ranked = new Map<string, number>();
  private seenArticle = false;
  private sectionAboveArticle = false;

  place(item: Item, ahead: readonly Label[]): Placed {
    const { label } = item;
    if (!label) {
      // The title line below a bare "ARTICLE IV" is its heading, no new beginning.
      if (item.heading && !this.untitled) [this.paused, this.declared] = [true, item.block.level !== null];
      this.untitled = false;
      return { kind: 'text', item };
    }
    const fresh = this.paused && !this.goesOn(label);
    const kept = this.stack;
    if (fresh) this.stack = this.stack.filter((open, index) => index === 0 && open.form === 'schedule');
    const choice = this.choose(item, label, ahead);
    if (!choice) {
      this.stack = kept;
      return { kind: 'text', item };
    }
    this.paused = false;
    this.untitled = RANKS[choice.reading.form] !== undefined && item.end - item.start <= label.rest;
    this.stack.length = choice.depth;
    const { form, values } = choice.reading;
    if (form === 'article') this.seenArticle = true;
    if (this.stack.length < MAX_OPEN)
      this.stack.push({
        form,
        values,
        indent: item.block.indent,
        listLevel: item.listLevel,
        heading: item.block.kind === 'heading',
        opens: /[:：]\s*$/.test(item.block.text.slice(item.start, item.end)) || item.end < item.block.text.length,
      });
    return { kind: 'number', item, form, depth: choice.depth, fresh };
  }

  /** After an unnumbered heading numbering goes on with a top sequence or starts anew. */
  private goesOn(label: Label): boolean {
    return label.readings.some((reading) => !(this.declared && reading.form.startsWith('(')) && this.stack.some((open) => follows(open, reading)));
  }

  private choose(item: Item, label: Label, ahead: readonly Label[]): Choice | null {
    const ranked = label.readings.find((reading) => RANKS[reading.form] !== undefined);
    if (ranked && this.isName(ranked, item)) return null;
    if (ranked) return { reading: ranked, depth: this.rankDepth(ranked) };
    const dotted = label.readings.filter((reading) => DOTTED.has(reading.form) && reading.values.length > 1);
    if (dotted[0]) return this.chooseDotted(dotted);
    const listed = label.readings[0];
    if (listed?.form.startsWith('list')) return { reading: listed, depth: this.listDepth(item.listLevel ?? 0) };
    return this.chooseSimple(item, label, ahead);
  }

  /** "Chapter 11 Cases", "Part 2 Products": a word with a number that begins a sentence and belongs to no sequence is a name. */
  private isName(reading: Reading, item: Item): boolean {
    const value = reading.values[0] ?? 0;
    const before = this.ranked.get(reading.form);
    if (NAMING.has(reading.form) && item.block.kind !== 'heading' && value > 1 && !(before !== undefined && isNext(before, value))) return true;
    this.ranked.set(reading.form, value);
    return false;
  }

  private rankDepth(reading: Reading): number {
    if (reading.form === 'article' && !this.seenArticle && this.stack.at(-1)?.form === 'section') this.sectionAboveArticle = true;
    const rank = (form: string): number => (this.sectionAboveArticle && form === 'section' ? 2.5 : (RANKS[form] ?? DECIMAL_RANK + 1));
    const own = rank(reading.form);
    let depth = this.stack.length;
    while (depth > 0 && rank((this.stack[depth - 1] as Open).form) >= own) depth--;
    return depth;
  }

  /** Of the readings of "1.1(ii)(a)" the one that goes on with what is open; else the one whose beginning is open deepest, a first before others. */
  private chooseDotted(readings: readonly Reading[]): Choice {
    const going = readings.find((reading) => this.stack.some((open) => follows(open, reading)));
    const reading = going ?? readings.reduce((best, other) => (this.rooted(other) > this.rooted(best) ? other : best));
    return { reading, depth: this.dottedDepth(reading) };
  }

  /** How many leading values of a dotted number are those of an open number; a first number counts a little more. */
  private rooted({ form, values }: Reading): number {
    const shared = this.stack.map((open) =>
      open.form === form && open.values.length < values.length && open.values.every((value, index) => value === values[index]) ? open.values.length : 0,
    );
    return Math.max(0, ...shared) + (values.at(-1) === 1 ? 0.5 : 0);
  }

  private dottedDepth(reading: Reading): number {
    const { form, values } = reading;
    for (let depth = this.stack.length; depth > 0; depth--) {
      const open = this.stack[depth - 1] as Open;
      if (open.form === form && open.values.length < values.length && open.values.every((value, index) => value === values[index])) return depth;
      if (open.form === form && open.values.length === values.length && sharesPrefix(open.values, values)) return depth - 1;
      if (HEADS_DECIMALS.has(open.form) && open.values[0] === values[0]) return depth;
    }
    // No parent with this prefix: beside the outermost number of at least as many parts, else under what is open above decimals.
    const beside = this.stack.findIndex((open) => open.form === form && open.values.length >= values.length);
    if (beside >= 0) return beside;
    let depth = this.stack.length;
    while (depth > 0 && RANKS[(this.stack[depth - 1] as Open).form] === undefined && (this.stack[depth - 1] as Open).form !== '1') depth--;
    return depth;
  }

  private listDepth(level: number): number {
    let depth = this.stack.length;
    while (depth > 0 && ((this.stack[depth - 1] as Open).listLevel ?? level) >= level) depth--;
    return depth;
  }

  private chooseSimple(item: Item, label: Label, ahead: readonly Label[]): Choice | null {
    const next = ahead[0];
    const going = label.readings.map((reading) => this.successor(reading)).filter((choice) => choice !== null);
    const starting = label.readings.filter((reading) => reading.values[0] === 1);
    const start = starting[0];
    const found = going.sort((a, b) => b.depth - a.depth)[0];
    if (found && start && found.reading.form !== start.form) {
      // (i) after (h): the next number tells, then a colon before it, then its indent.
      const top = this.stack.at(-1) as Open;
      const roman = next?.readings.some((reading) => reading.form === start.form && reading.values[0] === 2) ?? false;
      const letter = next?.readings.some((reading) => reading.form === found.reading.form && reading.values[0] === (found.reading.values[0] ?? 0) + 1) ?? false;
      const deeper = top.opens || item.block.indent > top.indent + 4;
      if (roman && !letter ? true : roman === letter && deeper) return this.startLevel(item, start, label, ahead);
      return found;
    }
    if (found) return found;
    if (start) return this.startLevel(item, start, label, ahead);
    if (label.weak) return null;
    return this.outOfSequence(item, label);
  }

  private successor(reading: Reading): Choice | null {
    for (let depth = this.stack.length; depth > 0; depth--) if (follows(this.stack[depth - 1] as Open, reading)) return { reading, depth: depth - 1 };
    return null;
  }

  private startLevel(item: Item, reading: Reading, label: Label, ahead: readonly Label[]): Choice | null {
    if (label.weak && item.block.kind !== 'heading' && !goesOnTo(reading, item, ahead)) return null;
    const same = this.stack.findLastIndex((open) => open.form === reading.form && open.values.length === 1);
    if (same >= 0) {
      const open = this.stack[same] as Open;
      const top = this.stack.at(-1) as Open;
      const deeper = item.listLevel !== null && open.listLevel !== null ? item.listLevel > open.listLevel : item.block.indent > top.indent + 4;
      if (!deeper && !(top.opens && same < this.stack.length - 1)) return { reading, depth: same };
    }
    return { reading, depth: this.underTop(item, reading) };
  }

  /** Where a new level hangs: single decimals and headings do not hang under bracketed items unless they are set deeper. */
  private underTop(item: Item, reading: Reading): number {
    let depth = this.stack.length;
    if (reading.form !== '1' && item.block.kind !== 'heading') return depth;
    while (depth > 0) {
      const open = this.stack[depth - 1] as Open;
      const holds = RANKS[open.form] !== undefined || HOLDING.has(open.form) || open.heading || item.block.indent > open.indent + 4;
      if (holds && !(reading.form !== '1' && open.form === '1' && item.block.kind === 'heading' && !open.heading)) break;
      depth--;
    }
    return depth;
  }

  /** Neither a successor nor a first: the number is kept as written, by the reading that jumps least, beside its own form or under what is open. */
  private outOfSequence(item: Item, label: Label): Choice | null {
    let best: { reading: Reading; same: number; jump: number } | null = null;
    for (const reading of label.readings) {
      const same = this.stack.findLastIndex((open) => open.form === reading.form);
      const jump = Math.abs((reading.values.at(-1) ?? 0) - 1 - (this.stack[same]?.values.at(-1) ?? 0));
      if (best === null || jump < best.jump) best = { reading, same, jump };
    }
    if (best === null) return null;
    return { reading: best.reading, depth: best.same >= 0 ? best.same : this.underTop(item, best.reading) };
  }
}

function sharesPrefix(a: readonly number[], b: readonly number[]): boolean {
  for (let index = 0; index < a.length - 1; index++) if (a[index] !== b[index]) return false;
  return true;
}

function follows(open: Open, reading: Reading): boolean {
  if (open.form !== reading.form || open.values.length !== reading.values.length || !sharesPrefix(open.values, reading.values)) return false;
  return isNext(open.values.at(-1) ?? 0, reading.values.at(-1) ?? 0);
}

/** 10 -> 11, 10 -> 10A, 10A -> 10B, 10B -> 11: figures with a letter carry hundredths. */
function isNext(before: number, after: number): boolean {
  const step = after - before;
  if (Number.isInteger(before)) return step === 1 || Math.round(step * 100) === 1;
  return Math.round(step * 100) === 1 || after === Math.floor(before) + 1;
}

/** A bare letter is a number where its successor comes next; set in capitals or short like a title, where it comes at all. */
function goesOnTo(reading: Reading, item: Item, ahead: readonly Label[]): boolean {
  const titled = item.end - item.start <= TITLE_LENGTH && !/[.;,]\s*$/.test(item.block.text);
  return ahead
    .slice(0, titled ? AHEAD : 1)
    .some((next) => next.readings.some((other) => other.form === reading.form && other.values[0] === (reading.values[0] ?? 0) + 1));
}

/** "B. PREFERRED STOCK" */
const TITLE_LENGTH = 80;
