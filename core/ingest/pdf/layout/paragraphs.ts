// Printed lines -> paragraphs: where a block ends and the next begins.
//
// Owns: the break decision (number at a line's start, leading, short last line, indent, size, boldness), paragraphs that go on over columns and pages.
// Leaves kinds and headings to blocks.ts. Rule: a block begins at every clause number that begins a line, unless the line is plainly a wrapped one.
import { isWideScript } from '../../characters.ts';
import { bulletLength, readLabel } from '../../labels.ts';
import { isSignatureLine } from '../../titles.ts';
import type { PdfLine } from './lines.ts';

interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly lines: number;
}

const SENTENCE_END = /[.;:!?。；：！？]["”’')）\]]?$/;

/** Groups of lines, each one paragraph, in reading order. Furniture is not among `lines`; `cut` are those that furniture inside a page stands before. */
export function splitParagraphs(lines: readonly PdfLine[], cut: ReadonlySet<PdfLine>): PdfLine[][] {
  const bounds = boundsOf(lines);
  const pitch = typicalPitch(lines);
  const groups: PdfLine[][] = [];
  const listed = new Listed();
  let group: PdfLine[] = [];
  for (const [index, line] of lines.entries()) {
    const last = group.at(-1);
    if (last === undefined || startsBlock(group, last, line, { bounds, pitch, listed, cut: cut.has(line), next: lines[index + 1] })) {
      group = [];
      groups.push(group);
      listed.note(line);
    }
    group.push(line);
  }
  return groups;
}

/** Numbers of the list that is under way: "(b)" inside running text is no list item when "(a)" began no block just before. */
class Listed {
  private readonly last = new Map<string, number>();

  note(line: PdfLine): void {
    const label = readLabel(line.text);
    if (!label || !/^[(（]|[)）]$/.test(label.number)) this.last.clear();
    for (const reading of label?.readings ?? []) this.last.set(reading.form, reading.values[0] ?? 0);
  }

  follows(line: PdfLine): boolean {
    return (readLabel(line.text)?.readings ?? []).some((reading) => this.last.get(reading.form) === (reading.values[0] ?? 0) - 1);
  }
}

function isSameRegion(a: PdfLine, b: PdfLine): boolean {
  return a.page === b.page && a.region === b.region;
}

/** A page has fewer regions than a million: one number for both. */
function regionKey(line: PdfLine): number {
  return line.page * 1e6 + line.region;
}

function boundsOf(lines: readonly PdfLine[]): ReadonlyMap<number, Bounds> {
  const edges = new Map<number, { lefts: number[]; rights: number[] }>();
  for (const line of lines) {
    const key = regionKey(line);
    const entry = edges.get(key) ?? { lefts: [], rights: [] };
    entry.lefts.push(line.frame.x0);
    entry.rights.push(line.frame.x1);
    edges.set(key, entry);
  }
  const bounds = new Map<number, Bounds>();
  // 92nd percentile: a stamp or a table that sticks out does not move the margin.
  for (const [key, { lefts, rights }] of edges) {
    rights.sort((a, b) => a - b);
    bounds.set(key, { left: Math.min(...lefts), right: rights[Math.floor((rights.length - 1) * 0.92)] ?? 0, lines: rights.length });
  }
  return bounds;
}

/**
 * Distance of baselines per size inside paragraphs: the smallest that is common. Most common may be the distance of paragraphs, where they are short; double
 * spacing leaves nothing smaller.
 */
function typicalPitch(lines: readonly PdfLine[]): number {
  const counts = new Map<number, number>();
  for (let index = 1; index < lines.length; index++) {
    const [upper, lower] = [lines[index - 1] as PdfLine, lines[index] as PdfLine];
    if (!isSameRegion(upper, lower) || upper.size < 1) continue;
    const ratio = Math.round(((lower.base - upper.base) / upper.size) * 20) / 20;
    if (ratio >= 0.8 && ratio <= 2.6) counts.set(ratio, (counts.get(ratio) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  return [...counts].sort((a, b) => a[0] - b[0]).find(([, count]) => count >= 0.4 * most)?.[0] ?? 1.2;
}

interface Surroundings {
  readonly bounds: ReadonlyMap<number, Bounds>;
  readonly pitch: number;
  readonly listed: Listed;
  /** An old page ended between the two lines. */
  readonly cut: boolean;
  readonly next: PdfLine | undefined;
}

function startsBlock(group: readonly PdfLine[], last: PdfLine, line: PdfLine, { bounds, pitch, listed, cut, next }: Surroundings): boolean {
  if (line.turn !== last.turn || line.slanted !== last.slanted) return true;
  if (isSignatureLine(line.text) || (isSignatureLine(last.text) && !isSameRegion(last, line))) return true;
  const room = bounds.get(regionKey(last));
  const short = room !== undefined && isShort(last, line, room);
  const ended = SENTENCE_END.test(last.text);
  const bulleted = bulletLength(line.text) > 0 && !/^[–—-]/.test(line.text);
  if (!isSameRegion(last, line) || cut)
    return (!cut && isFarBelow(last, line, pitch)) || standsAlone(line, next, pitch) || !continues(group, last, line, short, ended, bulleted);
  if (bulleted) return true;
  if (Math.abs(line.size - last.size) > Math.max(0.6, 0.12 * last.size) && line.text.length > 3 && last.text.length > 3) return true;
  if (isWideStep(group, line.base - last.base, last.size, pitch) && !(group.length === 1 && !short && !ended && isDoubleSpaced(last, line, next))) return true;
  if (startsWithNumber(group, last, line, short, listed)) return true;
  // Far left of the line above: a label under a value. A first line is indented by less.
  if (last.frame.x0 - line.frame.x0 > 6 * line.size && /^[\p{Lu}\p{Lo}]/u.test(line.text)) return true;
  if (ended && endsHang(group, last, line)) return true;
  if (line.bold !== last.bold && (short || ended)) return true;
  if (short && (ended || wouldFitEasily(last, line, room))) return true;
  return ended && line.frame.x0 > last.frame.x0 + line.size && group.length > 1 && line.frame.x0 > (group[1] as PdfLine).frame.x0 + line.size;
}

/** A full line, and the distance to the next goes on: double spacing in a document that has single spacing too. */
function isDoubleSpaced(last: PdfLine, line: PdfLine, next: PdfLine | undefined): boolean {
  const step = line.base - last.base;
  if (step < 0 || step > 2.7 * last.size || line.size !== last.size || line.bold !== last.bold) return false;
  return /^\p{Ll}/u.test(line.text) || (next !== undefined && isSameRegion(next, line) && Math.abs(next.base - line.base - step) < 0.06 * step);
}

/** A capitalised line with white below it and no end of a sentence: a heading at the top of a page, whatever the page before broke off. */
function standsAlone(line: PdfLine, next: PdfLine | undefined, pitch: number): boolean {
  if (next === undefined || !isSameRegion(next, line) || line.text.length > 80) return false;
  return /^[\p{Lu}\p{Lo}]/u.test(line.text) && !SENTENCE_END.test(line.text) && isWideStep([line], next.base - line.base, line.size, pitch);
}

/** Back at the first line's margin after lines that hang from it: the next entry of a list whose second lines are indented. */
function endsHang(group: readonly PdfLine[], last: PdfLine, line: PdfLine): boolean {
  const margin = (group[0] as PdfLine).frame.x0;
  return (
    group.length > 1 && Math.abs(line.frame.x0 - margin) < 2 && group.slice(1).every((entry) => entry.frame.x0 - margin > line.size) && last.page === line.page
  );
}

/** Regions of a page may lie below each other; then white space divides them as it divides paragraphs. Columns lie side by side. */
function isFarBelow(last: PdfLine, line: PdfLine, pitch: number): boolean {
  if (last.page !== line.page || line.frame.y0 < last.frame.y0 || line.frame.x0 > last.frame.x1 || line.frame.x1 < last.frame.x0) return false;
  return isWideStep([last], line.base - last.base, last.size, pitch);
}

function isWideStep(group: readonly PdfLine[], step: number, size: number, pitch: number): boolean {
  if (step < -0.5 * size) return true;
  const before = group.length > 1 ? (group.at(-1) as PdfLine).base - (group.at(-2) as PdfLine).base : null;
  // A fifth over the paragraph's own leading; over the document's when the paragraph has one line so far.
  if (before !== null && before > 0) return step > Math.max(before * 1.22, before + 1.5);
  return step > Math.max(pitch * size * 1.22, pitch * size + 1.5);
}

/** The next line's first word had room in the last line: the break was meant. */
function isShort(last: PdfLine, line: PdfLine, room: Bounds): boolean {
  const space = room.right - last.frame.x1;
  const perCharacter = (line.frame.x1 - line.frame.x0) / Math.max(1, line.text.length);
  // Chinese breaks after any character: two of them are the least a line would have taken.
  const blank = line.text.indexOf(' ');
  const word = isWideScript(line.text[0]) ? 2 : blank < 0 ? line.text.length : blank;
  return space > (word + 1) * perCharacter + 0.3 * last.size;
}

/** Without a sentence end the room must be clear: ragged text and regions with few lines have an uncertain right margin. */
function wouldFitEasily(last: PdfLine, line: PdfLine, room: Bounds | undefined): boolean {
  if (room === undefined || room.lines < 4) return false;
  const space = room.right - last.frame.x1;
  return space > 0.25 * (room.right - room.left) && !/^\p{Ll}/u.test(line.text) && !last.text.endsWith(',');
}

function startsWithNumber(group: readonly PdfLine[], last: PdfLine, line: PdfLine, short: boolean, listed: Listed): boolean {
  const label = readLabel(line.text);
  if (!label) return false;
  const ended = SENTENCE_END.test(last.text);
  const form = label.readings[0]?.form ?? '';
  const rest = line.text.slice(label.rest);
  const paused = ended || /(,|\band|\bor|&|，|、)$/i.test(last.text);
  const body = group.length > 1 ? (group[1] as PdfLine).frame.x0 : null;
  const moved =
    body === null
      ? Math.abs(line.frame.x0 - last.frame.x0) > 0.5 * line.size && line.frame.x0 < last.frame.x0
      : Math.abs(line.frame.x0 - body) > 0.5 * line.size;
  if (form.startsWith('(') || form === '1)' || form === 'a)') {
    if ((moved || line.frame.x0 > last.frame.x0 + line.size) && !isHanging(group, line)) return true;
    return label.readings.some((reading) => reading.values[0] === 1) ? short || ended : (short || paused) && listed.follows(line);
  }
  // "... under Section / 5.2 of this Agreement": a wrapped mention goes on in lower case or stands after a word that announces a number.
  if (/^\p{Ll}/u.test(rest) && !(short || moved || ended)) return false;
  if (/\b(sections?|articles?|clauses?|paragraphs?|exhibits?|schedules?|and|or|to|of|in|no\.?|part)$/i.test(last.text) && !short) return false;
  // After one full line without a pause the margin says nothing: first lines are indented ("... meet on / 27. January").
  const told = moved && (body !== null || short || paused);
  if (label.weak) return short || told || ended;
  return short || told || paused;
}

/** The second line of a numbered paragraph begins under the first one's text, right of its number: no sign of a list. */
function isHanging(group: readonly PdfLine[], line: PdfLine): boolean {
  const first = group[0] as PdfLine;
  const text = readLabel(first.text)?.rest ?? 0;
  return group.length === 1 && text > 0 && Math.abs((first.edges[text] ?? 0) - (line.edges[0] ?? 0)) < 2.5;
}

function continues(group: readonly PdfLine[], last: PdfLine, line: PdfLine, short: boolean, ended: boolean, bulleted: boolean): boolean {
  if (bulleted || ended || Math.abs(line.size - last.size) > 0.6) return false;
  if (group.every((entry) => entry.bold) !== line.bold && line.bold) return false;
  const label = readLabel(line.text);
  const lower = /^[\p{Ll}(“"‘'\d$]/u.test(line.text);
  if (label && !(/[\p{L}]$/u.test(last.text) && /^\p{Ll}/u.test(line.text.slice(label.rest)) && !label.number.startsWith('('))) return false;
  if (short && !lower) return false;
  // A single short line at a page's end is a heading or a signature, not the first line of a paragraph.
  return lower || !short || /[,\-–—]$/.test(last.text);
}
