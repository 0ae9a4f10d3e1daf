// Paragraph and character styles: what a paragraph inherits along its basedOn chain (ECMA-376 part 1, 17.7).
import { child, integer, readXml, toggle, valueOf, type XmlNode } from './xml.ts';

export interface StyleLook {
  readonly numId: string | undefined;
  /** Style that brings numId: its name finds the list level. */
  readonly numStyle: string | undefined;
  readonly listLevel: number | undefined;
  /** 0..8 */
  readonly outline: number | undefined;
  /** Twips. */
  readonly left: number | undefined;
  readonly firstLine: number | undefined;
  readonly bold: boolean | undefined;
  readonly italic: boolean | undefined;
  readonly underline: boolean | undefined;
  readonly caps: boolean | undefined;
  readonly hidden: boolean | undefined;
  /** Half points. */
  readonly size: number | undefined;
  readonly centered: boolean | undefined;
}

interface Style {
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly look: StyleLook;
}

const EMPTY: StyleLook = {
  numId: undefined,
  numStyle: undefined,
  listLevel: undefined,
  outline: undefined,
  left: undefined,
  firstLine: undefined,
  bold: undefined,
  italic: undefined,
  underline: undefined,
  caps: undefined,
  hidden: undefined,
  size: undefined,
  centered: undefined,
};

export class Styles {
  private readonly styles = new Map<string, Style>();
  private readonly resolved = new Map<string, StyleLook>();
  private defaults: StyleLook = EMPTY;
  private defaultParagraph: string | undefined;

  constructor(bytes: Uint8Array | null) {
    if (!bytes) return;
    readXml(bytes, 'styles.xml', null, (node) => {
      if (node.name === 'w:style') this.add(node);
      else if (node.name === 'w:docDefaults')
        this.defaults = readLook(child(child(node, 'w:pPrDefault'), 'w:pPr'), child(child(node, 'w:rPrDefault'), 'w:rPr'), undefined);
    });
  }

  private add(node: XmlNode): void {
    const id = node.attributes['w:styleId'];
    if (id === undefined) return;
    const paragraph = node.attributes['w:type'] === 'paragraph';
    if (paragraph && /^(?:1|true|on)$/.test(node.attributes['w:default'] ?? '')) this.defaultParagraph = id;
    this.styles.set(id, {
      name: valueOf(node, 'w:name') ?? id,
      basedOn: valueOf(node, 'w:basedOn'),
      look: readLook(child(node, 'w:pPr'), child(node, 'w:rPr'), id),
    });
  }

  nameOf(id: string | undefined): string {
    return (id === undefined ? undefined : this.styles.get(id)?.name) ?? '';
  }

  /** Look of a paragraph style, or of the default one. */
  paragraph(id: string | undefined): StyleLook {
    const known = id !== undefined && this.styles.has(id) ? id : this.defaultParagraph;
    return known === undefined ? this.defaults : merge(this.defaults, this.chain(known));
  }

  /** Look of a character style alone. */
  character(id: string | undefined): StyleLook {
    return id === undefined ? EMPTY : this.chain(id);
  }

  private chain(id: string): StyleLook {
    const known = this.resolved.get(id);
    if (known) return known;
    let look = EMPTY;
    const seen = new Set<string>();
    // From the style to its ancestors; a cycle in a damaged file ends the chain.
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); at = this.styles.get(at)?.basedOn) {
      seen.add(at);
      look = merge(this.styles.get(at)?.look ?? EMPTY, look);
    }
    this.resolved.set(id, look);
    return look;
  }
}

/** `over` wins where it says something. */
export function merge(under: StyleLook, over: StyleLook): StyleLook {
  return {
    numId: over.numId ?? under.numId,
    numStyle: over.numId !== undefined ? over.numStyle : under.numStyle,
    listLevel: over.listLevel ?? under.listLevel,
    outline: over.outline ?? under.outline,
    left: over.left ?? under.left,
    firstLine: over.firstLine ?? under.firstLine,
    bold: over.bold ?? under.bold,
    italic: over.italic ?? under.italic,
    underline: over.underline ?? under.underline,
    caps: over.caps ?? under.caps,
    hidden: over.hidden ?? under.hidden,
    size: over.size ?? under.size,
    centered: over.centered ?? under.centered,
  };
}

/** Properties written in one place: a style, a paragraph (`w:pPr`) or a run (`w:rPr`). */
export function readLook(paragraph: XmlNode | undefined, run: XmlNode | undefined, style: string | undefined): StyleLook {
  const numbers = child(paragraph, 'w:numPr');
  const indent = child(paragraph, 'w:ind')?.attributes;
  const numId = valueOf(numbers, 'w:numId');
  const hanging = integer(indent?.['w:hanging']);
  const underline = child(run, 'w:u')?.attributes['w:val'];
  const justify = valueOf(paragraph, 'w:jc');
  return {
    numId,
    numStyle: numId === undefined ? undefined : style,
    listLevel: integer(valueOf(numbers, 'w:ilvl')),
    outline: integer(valueOf(paragraph, 'w:outlineLvl')),
    left: integer(indent?.['w:left'] ?? indent?.['w:start']),
    firstLine: hanging !== undefined ? -hanging : integer(indent?.['w:firstLine']),
    bold: toggle(run, 'w:b'),
    italic: toggle(run, 'w:i'),
    underline: underline === undefined ? undefined : underline !== 'none',
    caps: toggle(run, 'w:caps'),
    hidden: toggle(run, 'w:vanish'),
    size: integer(valueOf(run, 'w:sz')),
    centered: justify === undefined ? undefined : justify === 'center',
  };
}
