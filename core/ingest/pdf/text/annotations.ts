// What stands on a page beside its content: form fields with their values, free text, comments and highlights.
//
// Owns: reading them from mupdf, dates, which of them a reader sees. Leaves their place among the blocks to asides.ts and the text under a highlight to
// comments.ts. Rule: the drawn appearance is read for its letters' places when it says what the value says; otherwise the value stands in the field's box.
import type * as mupdf from 'mupdf';
import type { Box } from '../../../contract/document.ts';
import type { DrawnBefore } from './duplicates.ts';
import { readGlyphs, type PageArea, type Segment } from './glyphs.ts';
import { flawOf, type Mupdf } from '../mupdf.ts';

/** A form field with a value, or free text: both are read with the page. */
export interface DrawnAside<Line> {
  readonly kind: 'formField' | 'annotation';
  readonly text: string;
  readonly box: Box;
  /** Lines of its appearance, when they say the same as `text`. */
  readonly lines: readonly Line[];
  /** Marked not to be shown. */
  readonly unseen: boolean;
}

/** A remark on the page, or a marked stretch of it. */
export interface Remark {
  /** Number of its object in the file; answers name it. */
  readonly object: number;
  readonly parent: number | null;
  readonly author: string;
  readonly date: string | null;
  readonly text: string;
  /** The marked text, in boxes; empty where the remark hangs on a place only. */
  readonly marked: readonly Box[];
  /** A reviewer's "Completed" or "Cancelled" on the remark it answers: no text of its own. */
  readonly settles: boolean;
}

export interface PageAnnotations<Line> {
  readonly asides: readonly DrawnAside<Line>[];
  readonly remarks: readonly Remark[];
}

/** What the reader of the page lends for appearances; lines belong to layout, which builds on this folder. */
export interface AppearanceReader<Line> {
  readonly drawn: DrawnBefore;
  readonly toLines: (segments: readonly Segment[]) => readonly Line[];
}

const REMARKS: ReadonlySet<string> = new Set([
  'Text',
  'Highlight',
  'Underline',
  'Squiggly',
  'StrikeOut',
  'Caret',
  'Square',
  'Circle',
  'Line',
  'Polygon',
  'PolyLine',
  'Ink',
  'Stamp',
  'FileAttachment',
]);
const MARKS: ReadonlySet<string> = new Set(['Highlight', 'Underline', 'Squiggly', 'StrikeOut']);
/** More annotations than this on a page are a drawing made of annotations. */
const MOST = 5000;

export function readAnnotations<Line extends { readonly text: string }>(
  library: Mupdf,
  page: mupdf.PDFPage,
  area: PageArea,
  appearances: AppearanceReader<Line>,
): PageAnnotations<Line> {
  if (!page.getObject().get('Annots').isArray()) return { asides: [], remarks: [] };
  const reader = new AnnotationReader(library, area, appearances);
  const asides = page
    .getWidgets()
    .slice(0, MOST)
    .flatMap((widget) => guarded(() => reader.field(widget)));
  const others = page.getAnnotations().slice(0, MOST);
  const texts = others.filter((annotation) => annotation.getType() === 'FreeText').flatMap((annotation) => guarded(() => reader.freeText(annotation)));
  const remarks = others.filter((annotation) => REMARKS.has(annotation.getType())).flatMap((annotation) => guarded(() => reader.remark(annotation)));
  return { asides: [...asides, ...texts], remarks };
}

/** A damaged annotation costs only itself: the page is read without it. */
function guarded<T>(read: () => T | null): T[] {
  try {
    const found = read();
    return found === null ? [] : [found];
  } catch (thrown) {
    flawOf(thrown);
    return [];
  }
}

class AnnotationReader<Line extends { readonly text: string }> {
  private readonly library: Mupdf;
  private readonly area: PageArea;
  private readonly appearances: AppearanceReader<Line>;

  constructor(library: Mupdf, area: PageArea, appearances: AppearanceReader<Line>) {
    this.library = library;
    this.area = area;
    this.appearances = appearances;
  }

  field(widget: mupdf.PDFWidget): DrawnAside<Line> | null {
    const text = valueOf(widget);
    return text === '' ? null : this.aside('formField', text, widget);
  }

  freeText(annotation: mupdf.PDFAnnotation): DrawnAside<Line> | null {
    const text = tidy(annotation.getContents());
    return text === '' ? null : this.aside('annotation', text, annotation);
  }

  private aside(kind: DrawnAside<Line>['kind'], text: string, annotation: mupdf.PDFAnnotation): DrawnAside<Line> {
    const { IS_HIDDEN, IS_INVISIBLE, IS_NO_VIEW } = this.library.PDFAnnotation;
    const lines = this.appearanceOf(annotation);
    const drawn = lines.map((line) => line.text).join(' ');
    const unseen = (annotation.getFlags() & (IS_HIDDEN | IS_INVISIBLE | IS_NO_VIEW)) !== 0;
    return { kind, text, box: this.place(annotation.getBounds()), lines: squeeze(drawn) === squeeze(text) ? lines : [], unseen };
  }

  private appearanceOf(annotation: mupdf.PDFAnnotation): readonly Line[] {
    const list = annotation.toDisplayList();
    try {
      const { segments } = readGlyphs(this.library, list, this.area, { tagged: false, unclipped: false }, this.appearances.drawn);
      return this.appearances.toLines(segments);
    } finally {
      list.destroy();
    }
  }

  remark(annotation: mupdf.PDFAnnotation): Remark | null {
    const object = annotation.getObject();
    const parent = object.get('IRT');
    const type = annotation.getType();
    const text = tidy(annotation.getContents());
    const state = object.get('State');
    const settles = !state.isNull() && /^(?:Completed|Cancelled|Accepted|Rejected|Marked)$/.test(state.isString() ? state.asString() : '');
    const marked = MARKS.has(type) && annotation.hasQuadPoints() ? annotation.getQuadPoints().map((quad) => this.around(quad)) : [];
    // Drawings and stamps without a word say nothing that can be read.
    if (text === '' && marked.length === 0 && !settles) return null;
    return {
      object: object.asIndirect(),
      parent: parent.isIndirect() ? parent.asIndirect() : null,
      author: annotation.hasAuthor() ? tidy(annotation.getAuthor()) : '',
      date: dateOf(object),
      text,
      marked,
      settles,
    };
  }

  private place([x0, y0, x1, y1]: mupdf.Rect): Box {
    const [left, top] = this.area.origin;
    return { x0: x0 - left, y0: y0 - top, x1: x1 - left, y1: y1 - top };
  }

  private around([ax, ay, bx, by, cx, cy, dx, dy]: mupdf.Quad): Box {
    return this.place([Math.min(ax, bx, cx, dx), Math.min(ay, by, cy, dy), Math.max(ax, bx, cx, dx), Math.max(ay, by, cy, dy)]);
  }
}

/** '' for a field that nobody filled in, and for passwords and buttons. */
function valueOf(widget: mupdf.PDFWidget): string {
  if (widget.isPushButton() || (widget.isText() && widget.isPassword())) return '';
  if (widget.isCheckbox() || widget.isRadioButton()) return stateOf(widget.getObject()) === 'Off' ? '☐' : '☒';
  if (widget.isText() || widget.isChoice()) return tidy(widget.getValue());
  return signatureOf(widget.getObject());
}

/** The appearance that is shown: a value is shared by all buttons of a group, the state is each button's own. */
function stateOf(object: mupdf.PDFObject): string {
  const state = object.get('AS');
  return state.isName() ? state.asName() : 'Off';
}

function signatureOf(object: mupdf.PDFObject): string {
  const signature = object.getInheritable('V');
  if (!signature.isDictionary()) return '';
  const name = signature.get('Name');
  const date = dateOf(signature);
  return ['Digitally signed', name.isString() ? `by ${tidy(name.asString())}` : '', date === null ? '' : `on ${date.slice(0, 10)}`]
    .filter((part) => part !== '')
    .join(' ');
}

function tidy(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

function squeeze(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, '');
}

/** ISO 32000-2, 7.9.4: D:YYYYMMDDHHmmSSOHH'mm, everything after the year optional. */
function dateOf(object: mupdf.PDFObject): string | null {
  const modified = object.get('M');
  const value = modified.isString() ? modified : object.get('CreationDate');
  if (!value.isString()) return null;
  return isoDate(value.asString());
}

export function isoDate(text: string): string | null {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(text);
  if (!match) return null;
  const [, year, month = '01', day = '01', hour, minute, second = '00', zulu, zone, zoneMinutes = '00'] = match;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null;
  if (hour === undefined) return `${year}-${month}-${day}`;
  const offset = zulu === undefined ? (zone === undefined ? '' : `${zone}:${zoneMinutes}`) : 'Z';
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
}
