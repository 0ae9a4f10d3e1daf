// Word's automatic numbers (ECMA-376 part 1, 17.9): definitions, instances, overrides, restarts, level text.
//
// Owns: numbering.xml and the running counters. Counters belong to the abstract definition, so two lists made of it go on with each other unless an
// instance overrides its start; the override acts at the first paragraph of that instance and level.
import { formatNumber } from './formats.ts';
import { child, children, integer, readXml, toggle, valueOf, type XmlNode } from './xml.ts';

export interface Level {
  readonly start: number;
  readonly format: string;
  readonly text: string;
  readonly legal: boolean;
  readonly style: string | undefined;
  /** Level (from 1) whose paragraphs restart this one; 0: never; undefined: any higher level. */
  readonly restart: number | undefined;
  readonly left: number | undefined;
  readonly hanging: number | undefined;
  readonly suffix: string;
}

interface Definition {
  readonly id: string;
  readonly levels: ReadonlyMap<number, Level>;
  readonly styleLink: string | undefined;
  readonly numStyleLink: string | undefined;
}

interface Instance {
  readonly definition: string;
  readonly starts: ReadonlyMap<number, number>;
  readonly levels: ReadonlyMap<number, Level>;
}

export interface ListNumber {
  /** As shown: "1.1", "(a)", "Article I."; '' for bullets and format none. */
  readonly text: string;
  readonly bullet: boolean;
  readonly level: Level;
}

const LEVELS = 9;

export class Numbering {
  private readonly definitions = new Map<string, Definition>();
  private readonly instances = new Map<string, Instance>();
  private readonly counters = new Map<string, (number | undefined)[]>();
  private readonly overridden = new Set<string>();

  constructor(bytes: Uint8Array | null) {
    if (!bytes) return;
    readXml(bytes, 'numbering.xml', null, (node) => {
      if (node.name === 'w:abstractNum') this.addDefinition(node);
      else if (node.name === 'w:num') this.addInstance(node);
    });
  }

  private addDefinition(node: XmlNode): void {
    const id = node.attributes['w:abstractNumId'];
    if (id === undefined) return;
    const levels = new Map<number, Level>();
    for (const entry of children(node, 'w:lvl')) addLevel(levels, entry);
    this.definitions.set(id, { id, levels, styleLink: valueOf(node, 'w:styleLink'), numStyleLink: valueOf(node, 'w:numStyleLink') });
  }

  private addInstance(node: XmlNode): void {
    const id = node.attributes['w:numId'];
    const definition = valueOf(node, 'w:abstractNumId');
    if (id === undefined || definition === undefined) return;
    const starts = new Map<number, number>();
    const levels = new Map<number, Level>();
    for (const override of children(node, 'w:lvlOverride')) {
      const level = integer(override.attributes['w:ilvl']);
      const start = integer(valueOf(override, 'w:startOverride'));
      if (level !== undefined && start !== undefined) starts.set(level, start);
      const full = child(override, 'w:lvl');
      if (full) addLevel(levels, full, level);
    }
    this.instances.set(id, { definition, starts, levels });
  }

  private definitionOf(instance: Instance): Definition | undefined {
    const own = this.definitions.get(instance.definition);
    if (!own || own.numStyleLink === undefined || own.levels.size > 0) return own;
    // A list style: the levels stand in the definition that declares the same style.
    return [...this.definitions.values()].find((entry) => entry.styleLink === own.numStyleLink) ?? own;
  }

  /** The level of a numbered style: the one that names it. */
  levelOfStyle(numId: string, style: string): number | undefined {
    const instance = this.instances.get(numId);
    const definition = instance && this.definitionOf(instance);
    if (!instance || !definition) return undefined;
    for (const [index, level] of [...instance.levels, ...definition.levels]) if (level.style === style) return index;
    return undefined;
  }

  /** Counts one paragraph; null where the list or its level does not exist. */
  next(numId: string, index: number): ListNumber | null {
    const instance = this.instances.get(numId);
    const definition = instance && this.definitionOf(instance);
    if (!instance || !definition || index < 0 || index >= LEVELS) return null;
    const levelAt = (at: number): Level | undefined => instance.levels.get(at) ?? definition.levels.get(at);
    const level = levelAt(index);
    if (!level) return null;
    const counter = this.counterOf(definition.id);
    this.count(counter, numId, instance, index, level.start);
    for (let deeper = index + 1; deeper < LEVELS; deeper++) {
      const restart = levelAt(deeper)?.restart;
      if (restart === undefined || (restart > 0 && index < restart)) counter[deeper] = undefined;
    }
    if (level.format === 'bullet') return { text: '', bullet: true, level };
    const text = level.text.replace(/%([1-9])/g, (_sign, digit: string) => {
      const at = Number(digit) - 1;
      const shown = levelAt(at);
      if (!shown || at > index) return '';
      // A level that no paragraph has reached shows its start value and counts from there.
      counter[at] ??= instance.starts.get(at) ?? shown.start;
      return formatNumber(counter[at], level.legal && !/^(?:none|decimalZero)$/.test(shown.format) ? 'decimal' : shown.format);
    });
    return { text: text.replace(/\s+/g, ' ').trim(), bullet: false, level };
  }

  private counterOf(definition: string): (number | undefined)[] {
    let counter = this.counters.get(definition);
    if (!counter) {
      counter = Array.from<number | undefined>({ length: LEVELS });
      this.counters.set(definition, counter);
    }
    return counter;
  }

  private count(counter: (number | undefined)[], numId: string, instance: Instance, index: number, start: number): void {
    const override = instance.starts.get(index);
    const key = `${numId}/${index}`;
    if (override !== undefined && !this.overridden.has(key)) {
      this.overridden.add(key);
      counter[index] = override;
      return;
    }
    const value = counter[index];
    counter[index] = value === undefined ? (override ?? start) : value + 1;
  }
}

function addLevel(levels: Map<number, Level>, node: XmlNode, index = integer(node.attributes['w:ilvl'])): void {
  if (index === undefined) return;
  const indent = child(child(node, 'w:pPr'), 'w:ind');
  const format = child(node, 'w:numFmt') ?? child(child(child(node, 'mc:AlternateContent'), 'mc:Fallback'), 'w:numFmt');
  levels.set(index, {
    start: integer(valueOf(node, 'w:start')) ?? 0,
    format: format?.attributes['w:val'] ?? 'decimal',
    text: valueOf(node, 'w:lvlText') ?? '',
    legal: toggle(node, 'w:isLgl') ?? false,
    style: valueOf(node, 'w:pStyle'),
    restart: integer(valueOf(node, 'w:lvlRestart')),
    left: integer(indent?.attributes['w:left'] ?? indent?.attributes['w:start']),
    hanging: integer(indent?.attributes['w:hanging']),
    suffix: valueOf(node, 'w:suff') ?? 'tab',
  });
}
