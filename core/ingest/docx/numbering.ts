// Word's list definitions (ISO/IEC 29500-1, 17.9): abstract definitions, instances, overrides, list styles.
//
// Owns: numbering.xml. Leaves the running numbers to counters.ts and which list a style has to styles.ts.
// Rule: an instance's own level (w:lvlOverride/w:lvl) stands before that of its definition; a definition that only names a list style
// (w:numStyleLink) has the levels of the definition which declares that style (w:styleLink).
import { child, children, integer, readXml, toggle, valueOf, type XmlNode } from './xml.ts';

export interface Level {
  readonly start: number;
  readonly format: string;
  /** Pattern of the format `custom`. */
  readonly custom: string | undefined;
  readonly text: string;
  readonly legal: boolean;
  readonly style: string | undefined;
  /** Level (from 1) whose paragraphs restart this one; 0: never; undefined: any higher level. */
  readonly restart: number | undefined;
  readonly left: number | undefined;
  readonly hanging: number | undefined;
  /** The number is set in hidden text: it counts and is not seen. */
  readonly hidden: boolean;
}

interface Definition {
  readonly id: string;
  /** Name by which LISTNUM fields find it. */
  readonly name: string | undefined;
  readonly levels: ReadonlyMap<number, Level>;
  readonly styleLink: string | undefined;
  readonly numStyleLink: string | undefined;
  readonly restartAfterSection: boolean;
}

export interface Instance {
  readonly numId: string;
  readonly definition: Definition;
  readonly starts: ReadonlyMap<number, number>;
  readonly levels: ReadonlyMap<number, Level>;
}

interface Entry {
  readonly definition: string;
  readonly starts: ReadonlyMap<number, number>;
  readonly levels: ReadonlyMap<number, Level>;
}

export const LEVELS = 9;

export class Numbering {
  private readonly definitions = new Map<string, Definition>();
  private readonly entries = new Map<string, Entry>();
  private readonly instances = new Map<string, Instance | null>();

  constructor(bytes: Uint8Array | null) {
    if (!bytes) return;
    readXml(bytes, 'numbering.xml', null, (node) => {
      if (node.name === 'w:abstractNum') this.addDefinition(node);
      else if (node.name === 'w:num') this.addEntry(node);
    });
  }

  private addDefinition(node: XmlNode): void {
    const id = node.attributes['w:abstractNumId'];
    if (id === undefined) return;
    const levels = new Map<number, Level>();
    for (const entry of children(node, 'w:lvl')) addLevel(levels, entry);
    this.definitions.set(id, {
      id,
      name: valueOf(node, 'w:name'),
      levels,
      styleLink: valueOf(node, 'w:styleLink'),
      numStyleLink: valueOf(node, 'w:numStyleLink'),
      restartAfterSection: /^(?:1|true|on)$/.test(node.attributes['w15:restartNumberingAfterBreak'] ?? ''),
    });
  }

  private addEntry(node: XmlNode): void {
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
    this.entries.set(id, { definition, starts, levels });
  }

  /** The list that a numId names; undefined where there is none. */
  instance(numId: string): Instance | undefined {
    const known = this.instances.get(numId);
    if (known !== undefined) return known ?? undefined;
    const entry = this.entries.get(numId);
    const definition = entry && this.resolve(entry.definition);
    const found = entry && definition ? { numId, definition, starts: entry.starts, levels: entry.levels } : null;
    this.instances.set(numId, found);
    return found ?? undefined;
  }

  private resolve(id: string): Definition | undefined {
    const own = this.definitions.get(id);
    if (!own || own.numStyleLink === undefined || own.levels.size > 0) return own;
    return [...this.definitions.values()].find((entry) => entry.styleLink === own.numStyleLink) ?? own;
  }

  /** The level of a numbered style: the one that names it. */
  levelOfStyle(numId: string, style: string): number | undefined {
    const instance = this.instance(numId);
    if (!instance) return undefined;
    for (const [index, level] of [...instance.levels, ...instance.definition.levels]) if (level.style === style) return index;
    return undefined;
  }

  /** An instance of the definition with this name (w:abstractNum/w:name). */
  named(name: string): Instance | undefined {
    for (const [numId, entry] of this.entries)
      if (this.definitions.get(entry.definition)?.name?.toLowerCase() === name.toLowerCase()) return this.instance(numId);
    return undefined;
  }
}

export function levelAt(instance: Instance, index: number): Level | undefined {
  return instance.levels.get(index) ?? instance.definition.levels.get(index);
}

function addLevel(levels: Map<number, Level>, node: XmlNode, index = integer(node.attributes['w:ilvl'])): void {
  if (index === undefined) return;
  const indent = child(child(node, 'w:pPr'), 'w:ind');
  const alternate = child(node, 'mc:AlternateContent');
  // The choice holds formats such as "custom" that readers of 2007 do not know; the fallback is plain decimal.
  const format = child(node, 'w:numFmt') ?? child(child(alternate, 'mc:Choice'), 'w:numFmt') ?? child(child(alternate, 'mc:Fallback'), 'w:numFmt');
  levels.set(index, {
    start: integer(valueOf(node, 'w:start')) ?? 0,
    format: format?.attributes['w:val'] ?? 'decimal',
    custom: format?.attributes['w:format'],
    text: valueOf(node, 'w:lvlText') ?? '',
    legal: toggle(node, 'w:isLgl') ?? false,
    style: valueOf(node, 'w:pStyle'),
    restart: integer(valueOf(node, 'w:lvlRestart')),
    left: integer(indent?.attributes['w:left'] ?? indent?.attributes['w:start']),
    hanging: integer(indent?.attributes['w:hanging']),
    hidden: toggle(child(node, 'w:rPr'), 'w:vanish') ?? false,
  });
}
