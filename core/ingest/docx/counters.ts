// Running numbers of lists, as Word counts them (ISO/IEC 29500-1, 17.9.10, 17.9.25, 17.9.27, and what Word does where the text is silent).
//
// Rules: counters belong to the abstract definition, so instances of one definition go on with each other. A start override acts once per instance, at its
// first paragraph, and is the start of its deeper levels whenever these restart. A level that was skipped counts as begun: after "1" and "1.1.1" comes "1.2".
// Every paragraph of the list counts, empty and hidden ones too: Word itself skips numbers by hidden paragraphs.
// One object per story: body, footnotes, text boxes, each header count apart.
import { formatNumber } from './formats.ts';
import type { ListPlace } from './styles.ts';
import { levelAt, LEVELS, type Instance, type Level, type Numbering } from './numbering.ts';

export interface ListNumber {
  /** As shown: "1.1", "(a)", "Article I."; '' for bullets and format none. */
  readonly text: string;
  readonly bullet: boolean;
  readonly level: Level;
  /** From 0. */
  readonly depth: number;
  /** The number in full context, outermost first: ["1.", "(a)", "(ii)"]; levels that another part already contains are left out. */
  readonly context: readonly string[];
}

interface Counter {
  readonly values: (number | undefined)[];
  /** Whether a paragraph has this level; a level that was skipped has a value and no paragraph. */
  readonly reached: boolean[];
  /** Instance of the last paragraph at each level: its overrides are the starts of the levels below. */
  readonly lastAt: (Instance | undefined)[];
}

export class ListCounters {
  private readonly numbering: Numbering;
  private readonly counters = new Map<string, Counter>();
  private readonly overridden = new Set<string>();

  constructor(numbering: Numbering) {
    this.numbering = numbering;
  }

  /** Counts one paragraph; null where the list or its level does not exist. `start` is a value set from outside (LISTNUM \s). */
  next(numId: string, index: number, start?: number): ListNumber | null {
    const instance = this.numbering.instance(numId);
    const level = instance && index >= 0 && index < LEVELS ? levelAt(instance, index) : undefined;
    if (!instance || !level) return null;
    const counter = this.counterOf(instance.definition.id);
    count(counter, instance, index, start ?? this.override(instance, index));
    if (level.format === 'bullet') return { text: '', bullet: true, level, depth: index, context: [] };
    const text = level.hidden ? '' : labelOf(instance, level, index, counter.values);
    return { text, bullet: false, level, depth: index, context: contextOf(instance, index, counter) };
  }

  /**
   * The number of a paragraph that may not count: with all changes shown Word numbers as if they were accepted, and a paragraph
   * whose mark is deleted has the number that the next one has too.
   */
  numberOf({ numId, level }: ListPlace, counts: boolean): ListNumber | null {
    const definition = this.numbering.instance(numId)?.definition.id;
    if (counts || definition === undefined) return this.next(numId, level);
    const { values, reached, lastAt } = this.counterOf(definition);
    const used = this.overridden.has(numId);
    const before = { values: [...values], reached: [...reached], lastAt: [...lastAt] };
    const number = this.next(numId, level);
    this.counters.set(definition, before);
    if (!used) this.overridden.delete(numId);
    return number;
  }

  /** Lists that Word was told to restart in every section (w15:restartNumberingAfterBreak). */
  breakSection(): void {
    for (const counter of this.counters.values())
      if (counter.lastAt.some((instance) => instance?.definition.restartAfterSection === true)) counter.values.fill(undefined);
  }

  private counterOf(definition: string): Counter {
    const known = this.counters.get(definition);
    if (known) return known;
    const counter: Counter = {
      values: Array.from({ length: LEVELS }),
      reached: Array.from({ length: LEVELS }, () => false),
      lastAt: Array.from({ length: LEVELS }),
    };
    this.counters.set(definition, counter);
    return counter;
  }

  /** The start that an instance sets, at the first paragraph that it sets one for. */
  private override(instance: Instance, index: number): number | undefined {
    const start = instance.starts.get(index);
    if (start === undefined || this.overridden.has(instance.numId)) return undefined;
    this.overridden.add(instance.numId);
    return start;
  }
}

function count(counter: Counter, instance: Instance, index: number, override: number | undefined): void {
  const { values, lastAt } = counter;
  for (let above = 0; above < index; above++) values[above] ??= levelAt(instance, above)?.start ?? 1;
  const value = values[index];
  values[index] = override ?? (value === undefined ? startOf(counter, instance, index) : value + 1);
  lastAt[index] = instance;
  counter.reached[index] = true;
  counter.reached.fill(false, index + 1);
  for (let deeper = index + 1; deeper < LEVELS; deeper++) {
    const restart = levelAt(instance, deeper)?.restart;
    if (restart === undefined || restart > deeper || (restart > 0 && index < restart)) values[deeper] = undefined;
  }
}

function startOf(counter: Counter, instance: Instance, index: number): number {
  const parent = index > 0 ? counter.lastAt[index - 1]?.starts.get(index) : undefined;
  return instance.starts.get(index) ?? Math.max(levelAt(instance, index)?.start ?? 0, parent ?? 0);
}

/** A level without numbers (none, bullet) is not shown in a deeper one, nor is the sign between it and the next: "%1.%2" gives "1", not ".1". */
function labelOf(instance: Instance, level: Level, index: number, values: readonly (number | undefined)[]): string {
  const text = level.text.replace(/%([1-9])([^%]*)/g, (_whole, digit: string, separator: string, offset: number) => {
    const at = Number(digit) - 1;
    const shown = levelAt(instance, at);
    const last = offset + 2 + separator.length === level.text.length;
    if (!shown || at > index || /^(?:none|bullet)$/.test(shown.format)) return last ? separator : '';
    // Legal numbering turns every level into digits; the leading zero of "Section 1.01" stays.
    const format = level.legal && shown.format !== 'decimalZero' ? 'decimal' : shown.format;
    return formatNumber(values[at] ?? shown.start, format, shown.custom) + separator;
  });
  return text.replace(/\s+/g, ' ').trim();
}

/** From the own level outwards: a parent's number is put before, unless a part already shows it ("1.1" contains "1"). */
function contextOf(instance: Instance, index: number, { values, reached }: Counter): string[] {
  const parts: string[] = [];
  let outermost = index;
  for (let at = index; at >= 0; at--) {
    const level = levelAt(instance, at);
    if (!level || level.format === 'bullet') break;
    // A skipped level has no number that anybody could cite.
    if (at > outermost || (at === outermost && at < index) || reached[at] !== true) continue;
    const text = labelOf(instance, level, at, values);
    if (text !== '') parts.unshift(text);
    outermost = Math.min(at, ...[...level.text.matchAll(/%([1-9])/g)].map(([, digit]) => Number(digit) - 1));
  }
  return parts;
}
