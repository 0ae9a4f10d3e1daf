// Paragraph, character and table styles: what a paragraph inherits along its basedOn chain (ISO/IEC 29500-1, 17.7).
//
// Owns: styles.xml, direct properties read into the same shape, and which list and level a style has (17.9.23).
// Rule: of a style's list the level whose w:pStyle names the style wins; then the w:ilvl nearest in the chain, whichever style names the list, for Word
// writes only what differs from the style below; then the first level.
import type { View } from '../../contract/document.ts';
import { changeKind } from './content.ts';
import type { Numbering } from './numbering.ts';
import { child, integer, readXml, toggle, valueOf, type XmlNode } from './xml.ts';

export interface StyleLook {
  readonly numId: string | undefined;
  readonly listLevel: number | undefined;
  /** 0..8 */
  readonly outline: number | undefined;
  /** Twips. */
  readonly left: number | undefined;
  readonly firstLine: number | undefined;
  readonly bold: boolean | undefined;
  readonly italic: boolean | undefined;
  readonly underline: boolean | undefined;
  readonly hidden: boolean | undefined;
  /** RRGGBB or "auto". */
  readonly color: string | undefined;
  /** A ground other than the page's, behind the run or the paragraph. */
  readonly shaded: boolean | undefined;
  /** Font for ASCII characters; symbol fonts give letters another meaning. */
  readonly font: string | undefined;
  /** Half points. */
  readonly size: number | undefined;
  readonly centered: boolean | undefined;
}

interface Style {
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly look: StyleLook;
}

/** A list and the level in it; numId "0" removes an inherited list. */
export interface ListPlace {
  readonly numId: string;
  readonly level: number;
}

const EMPTY: StyleLook = {
  numId: undefined,
  listLevel: undefined,
  outline: undefined,
  left: undefined,
  firstLine: undefined,
  bold: undefined,
  italic: undefined,
  underline: undefined,
  hidden: undefined,
  color: undefined,
  shaded: undefined,
  font: undefined,
  size: undefined,
  centered: undefined,
};

export class Styles {
  /** Tracked changes of styles. */
  readonly changes: XmlNode[] = [];
  private readonly styles = new Map<string, Style>();
  private readonly resolved = new Map<string, StyleLook>();
  private defaults: StyleLook = EMPTY;
  private defaultParagraph: string | undefined;

  private readonly view: View;

  constructor(bytes: Uint8Array | null, view: View = 'accepted') {
    this.view = view;
    if (!bytes) return;
    readXml(bytes, 'styles.xml', null, (node) => {
      if (node.name === 'w:style') this.add(node);
      else if (node.name === 'w:docDefaults')
        this.defaults = readLook(child(child(node, 'w:pPrDefault'), 'w:pPr'), child(child(node, 'w:rPrDefault'), 'w:rPr'));
    });
  }

  private add(node: XmlNode): void {
    const id = node.attributes['w:styleId'];
    if (id === undefined) return;
    const paragraph = (node.attributes['w:type'] ?? 'paragraph') === 'paragraph';
    if (paragraph && /^(?:1|true|on)$/.test(node.attributes['w:default'] ?? '')) this.defaultParagraph = id;
    this.styles.set(id, {
      name: valueOf(node, 'w:name') ?? id,
      basedOn: valueOf(node, 'w:basedOn'),
      look: readLook(this.inView(child(node, 'w:pPr')), this.inView(child(node, 'w:rPr'))),
    });
  }

  /** Properties as they stand in the view: a tracked change of a style keeps its earlier ones. */
  private inView(properties: XmlNode | undefined): XmlNode | undefined {
    const change = properties?.children.find((entry) => changeKind(entry.name) === 'format');
    if (!properties || !change) return properties;
    this.changes.push(change);
    return this.view === 'original' ? child(change, properties.name) : properties;
  }

  nameOf(id: string | undefined): string {
    return (id === undefined ? undefined : this.styles.get(id)?.name) ?? '';
  }

  /** Look of a paragraph style, or of the default one. */
  paragraph(id: string | undefined): StyleLook {
    const known = this.known(id);
    return known === undefined ? this.defaults : merge(this.defaults, this.resolve(known));
  }

  /** Look of a character style alone. */
  character(id: string | undefined): StyleLook {
    return id === undefined ? EMPTY : this.resolve(id);
  }

  /** List of a paragraph with this style and these direct properties; null where it has none. */
  listOf(id: string | undefined, numbers: XmlNode | undefined, numbering: Numbering): ListPlace | null {
    const chain = this.chain(this.known(id));
    const direct = valueOf(numbers, 'w:numId');
    const numId = direct ?? chain.map((entry) => this.styles.get(entry)?.look.numId).find((entry) => entry !== undefined);
    if (numId === undefined || numId === '0') return null;
    const level = integer(valueOf(numbers, 'w:ilvl'));
    return { numId, level: level ?? this.levelOf(chain, numId, numbering) };
  }

  private levelOf(chain: readonly string[], numId: string, numbering: Numbering): number {
    for (const id of chain) {
      const level = numbering.levelOfStyle(numId, id) ?? this.styles.get(id)?.look.listLevel;
      if (level !== undefined) return level;
    }
    return 0;
  }

  private known(id: string | undefined): string | undefined {
    return id !== undefined && this.styles.has(id) ? id : this.defaultParagraph;
  }

  /** The style and its ancestors; a cycle in a damaged file ends the chain. */
  private chain(id: string | undefined): string[] {
    const chain: string[] = [];
    for (let at = id; at !== undefined && !chain.includes(at); at = this.styles.get(at)?.basedOn) chain.push(at);
    return chain;
  }

  private resolve(id: string): StyleLook {
    const known = this.resolved.get(id);
    if (known) return known;
    const look = this.chain(id).reduce((under, at) => merge(this.styles.get(at)?.look ?? EMPTY, under), EMPTY);
    this.resolved.set(id, look);
    return look;
  }
}

/** `over` wins where it says something. */
export function merge(under: StyleLook, over: StyleLook): StyleLook {
  return {
    numId: over.numId ?? under.numId,
    listLevel: over.listLevel ?? under.listLevel,
    outline: over.outline ?? under.outline,
    left: over.left ?? under.left,
    firstLine: over.firstLine ?? under.firstLine,
    bold: over.bold ?? under.bold,
    italic: over.italic ?? under.italic,
    underline: over.underline ?? under.underline,
    hidden: over.hidden ?? under.hidden,
    color: over.color ?? under.color,
    shaded: over.shaded ?? under.shaded,
    font: over.font ?? under.font,
    size: over.size ?? under.size,
    centered: over.centered ?? under.centered,
  };
}

/** Properties written in one place: a style, a paragraph (`w:pPr`) or a run (`w:rPr`). */
export function readLook(paragraph: XmlNode | undefined, run: XmlNode | undefined): StyleLook {
  const numbers = child(paragraph, 'w:numPr');
  const indent = child(paragraph, 'w:ind')?.attributes;
  const hanging = integer(indent?.['w:hanging']);
  const underline = valueOf(run, 'w:u');
  const justify = valueOf(paragraph, 'w:jc');
  const fonts = child(run, 'w:rFonts')?.attributes;
  return {
    numId: valueOf(numbers, 'w:numId'),
    listLevel: integer(valueOf(numbers, 'w:ilvl')),
    outline: integer(valueOf(paragraph, 'w:outlineLvl')),
    left: integer(indent?.['w:left'] ?? indent?.['w:start']),
    firstLine: hanging !== undefined ? -hanging : integer(indent?.['w:firstLine']),
    bold: toggle(run, 'w:b'),
    italic: toggle(run, 'w:i'),
    underline: underline === undefined ? undefined : underline !== 'none',
    hidden: toggle(run, 'w:vanish'),
    color: valueOf(run, 'w:color'),
    shaded: isShaded(paragraph) ?? isShaded(run) ?? (child(run, 'w:highlight') ? valueOf(run, 'w:highlight') !== 'none' : undefined),
    font: fonts?.['w:ascii'] ?? fonts?.['w:hAnsi'],
    size: integer(valueOf(run, 'w:sz')),
    centered: justify === undefined ? undefined : justify === 'center',
  };
}

/** Whether `w:shd` of these properties draws a ground; undefined where they say nothing. */
export function isShaded(properties: XmlNode | undefined): boolean | undefined {
  const shading = child(properties, 'w:shd')?.attributes;
  if (!shading) return undefined;
  return !/^(?:auto|ffffff)?$/i.test(shading['w:fill'] ?? '') || !/^(?:clear|nil)$/.test(shading['w:val'] ?? 'clear') || shading['w:themeFill'] !== undefined;
}
