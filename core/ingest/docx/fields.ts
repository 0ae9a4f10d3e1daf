// Fields (ISO/IEC 29500-1, 17.16): instruction and result, also where they span runs and paragraphs or lie in each other.
//
// Owns: which part of a field is shown, results that Word computes and does not store (LISTNUM, AUTONUM, form fields), the instruction's words.
// Rule: an instruction is never read as text; a stored result always is, for that is what the document showed when it was saved.
import { formatNumber } from './formats.ts';
import type { ListCounters } from './counters.ts';
import type { ListPlace } from './styles.ts';
import type { Numbering } from './numbering.ts';
import { child, children, integer, toggle, valueOf, type XmlNode } from './xml.ts';

export interface Instruction {
  /** In capitals: "REF". */
  readonly name: string;
  readonly words: readonly string[];
  /** Value after a switch, '' where it has none: \l 2 -> "l": "2". */
  readonly switches: ReadonlyMap<string, string>;
}

export function parseInstruction(text: string): Instruction {
  const [name = '', ...rest] = [...text.matchAll(/\\(\S)|"((?:[^"\\]|\\.)*)"|[^\s\\"]+/g)].map(([whole, sign, quoted]) =>
    sign !== undefined ? `\\${sign}` : (quoted ?? whole),
  );
  const words: string[] = [];
  const switches = new Map<string, string>();
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] as string;
    if (!word.startsWith('\\')) words.push(word);
    else {
      const value = rest[index + 1];
      const takes = value !== undefined && !value.startsWith('\\') && /^\\[lsdfor*@#]$/.test(word);
      switches.set(word.slice(1), takes ? value : '');
      if (takes) index++;
    }
  }
  return { name: name.toUpperCase(), words, switches };
}

/** The list of LISTNUM fields that no w:name declares: formats and texts of its nine levels (17.16.5.31). */
const BUILT_IN: Readonly<Record<string, readonly (readonly [format: string, text: string])[]>> = {
  numberdefault: [
    ['decimal', '%)'],
    ['lowerLetter', '%)'],
    ['lowerRoman', '%)'],
    ['decimal', '(%)'],
    ['lowerLetter', '(%)'],
    ['lowerRoman', '(%)'],
    ['decimal', '%.'],
    ['lowerLetter', '%.'],
    ['lowerRoman', '%.'],
  ],
  outlinedefault: [
    ['upperRoman', '%.'],
    ['upperLetter', '%.'],
    ['decimal', '%.'],
    ['lowerLetter', '%)'],
    ['decimal', '(%)'],
    ['lowerLetter', '(%)'],
    ['lowerRoman', '(%)'],
    ['lowerLetter', '(%)'],
    ['lowerRoman', '(%)'],
  ],
};
const LEVELS = 9;

/** Numbers that fields count; one per story, beside its lists. */
export class FieldNumbers {
  private readonly numbering: Numbering;
  private readonly lists: ListCounters;
  private readonly builtIn = new Map<string, number[]>();
  private readonly sequences = new Map<string, number>();

  constructor(numbering: Numbering, lists: ListCounters) {
    this.numbering = numbering;
    this.lists = lists;
  }

  /** Shown text of a field that has no stored result; '' for one that shows nothing. `outline` is the paragraph's heading level from 0. */
  resultOf(text: string, place: ListPlace | null, outline: number | undefined, form: XmlNode | undefined): string {
    const field = parseInstruction(text);
    switch (field.name) {
      case 'LISTNUM':
        return this.listNumber(field, place);
      case 'AUTONUM':
      case 'AUTONUMLGL':
      case 'AUTONUMOUT':
        return this.autoNumber(field, outline ?? 0);
      case 'SEQ':
        return this.sequence(field);
      case 'FORMCHECKBOX':
        return isChecked(form) ? '☒' : '☐';
      case 'FORMDROPDOWN':
        return chosen(form);
      case 'MACROBUTTON':
      case 'GOTOBUTTON':
        // The words after the macro's name are what the button shows.
        return /^\s*\S+\s+\S+\s*([\s\S]*)$/.exec(text)?.[1] ?? '';
      default:
        return '';
    }
  }

  private listNumber({ words, switches }: Instruction, place: ListPlace | null): string {
    const level = integer(switches.get('l'));
    const start = integer(switches.get('s'));
    const [name] = words;
    if (name === undefined && place) return this.lists.next(place.numId, level === undefined ? place.level + 1 : level - 1, start)?.text ?? '';
    const named = name === undefined ? undefined : this.numbering.named(name);
    if (named) return this.lists.next(named.numId, (level ?? 1) - 1, start)?.text ?? '';
    const list = (name ?? 'NumberDefault').toLowerCase();
    return this.countBuiltIn(list, Math.min(LEVELS, Math.max(1, level ?? 1)) - 1, start);
  }

  private countBuiltIn(list: string, level: number, start?: number): string {
    const values = this.step(list, level, start);
    if (list === 'legaldefault') return `${values.slice(0, level + 1).join('.')}.`;
    const [format, text] = (BUILT_IN[list] ?? BUILT_IN['numberdefault'] ?? [])[level] ?? ['decimal', '%.'];
    return text.replace('%', formatNumber(values[level] ?? 1, format));
  }

  /** AUTONUM fields number by the heading level of their paragraph (17.16.5.4-17.16.5.6). */
  private autoNumber({ name, switches }: Instruction, level: number): string {
    const values = this.step(name, level);
    const sign = switches.has('e') ? '' : (switches.get('s') ?? '').charAt(0) || '.';
    if (name === 'AUTONUMLGL') return values.slice(0, level + 1).join('.') + sign;
    if (name === 'AUTONUMOUT') {
      const [format, text] = BUILT_IN['outlinedefault']?.[level] ?? ['decimal', '%.'];
      return text.replace('%', formatNumber(values[level] ?? 1, format));
    }
    return `${values[level] ?? 1}${sign}`;
  }

  private step(list: string, level: number, start?: number): number[] {
    const values = this.builtIn.get(list) ?? Array.from({ length: LEVELS }, () => 0);
    this.builtIn.set(list, values);
    for (let above = 0; above < level; above++) values[above] ||= 1;
    values[level] = start ?? (values[level] ?? 0) + 1;
    values.fill(0, level + 1);
    return values;
  }

  private sequence({ words, switches }: Instruction): string {
    const name = (words[0] ?? '').toLowerCase();
    const before = this.sequences.get(name) ?? 0;
    const value = integer(switches.get('r')) ?? (switches.has('c') ? before : before + 1);
    this.sequences.set(name, value);
    return switches.has('h') ? '' : formatNumber(value, SEQ_FORMATS[switches.get('*') ?? ''] ?? 'decimal');
  }
}

const SEQ_FORMATS: Readonly<Record<string, string>> = {
  ROMAN: 'upperRoman',
  roman: 'lowerRoman',
  ALPHABETIC: 'upperLetter',
  alphabetic: 'lowerLetter',
  Ordinal: 'ordinal',
  CardText: 'cardinalText',
  OrdText: 'ordinalText',
};

function isChecked(form: XmlNode | undefined): boolean {
  const box = child(form, 'w:checkBox');
  return toggle(box, 'w:checked') ?? toggle(box, 'w:default') ?? false;
}

function chosen(form: XmlNode | undefined): string {
  const list = child(form, 'w:ddList');
  const entry = integer(valueOf(list, 'w:result')) ?? integer(valueOf(list, 'w:default')) ?? 0;
  return children(list, 'w:listEntry')[entry]?.attributes['w:val'] ?? '';
}
