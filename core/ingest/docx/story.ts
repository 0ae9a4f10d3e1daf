// What a text shares along its way: the numbers of its lists and the fields that are open.
import type { Surrounding } from './blocks.ts';
import type { ParagraphContent } from './content.ts';
import { ListCounters } from './counters.ts';
import { FieldNumbers } from './fields.ts';
import type { Numbering } from './numbering.ts';
import type { XmlNode } from './xml.ts';

/** A field that has begun. Fields span runs and sometimes paragraphs: those show their result in each. */
export interface OpenField {
  instruction: string;
  inInstruction: boolean;
  /** Paragraph and offset where the result begins, and how much of the paragraph had been read there. */
  content: ParagraphContent | null;
  start: number;
  since: number;
  readonly form: XmlNode | undefined;
}

/** Body, notes, text boxes and each running page count their lists apart. */
export interface Story {
  readonly lists: ListCounters;
  readonly numbers: FieldNumbers;
  readonly fields: OpenField[];
}

export interface Counts {
  placeholders: number;
  subDocuments: number;
  /** w:altChunk: documents of another format embedded whole. */
  chunks: number;
}

export interface Context extends Surrounding {
  readonly story: Story;
  /** Inside a text box. */
  readonly box: boolean;
}

export function newStory(numbering: Numbering): Story {
  const lists = new ListCounters(numbering);
  return { lists, numbers: new FieldNumbers(numbering, lists), fields: [] };
}

export function newContext(kind: Context['kind'], story: Story): Context {
  return { kind, cell: null, story, contents: false, box: false };
}
