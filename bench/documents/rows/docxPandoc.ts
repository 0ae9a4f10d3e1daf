// Rows about Word files that pandoc has goldens for: lists, tracked changes with author and date, comments, notes.
//
// Pandoc's goldens are pandoc's own reading: it keeps only the last part of a list's number, and shows a move as an insertion and a deletion.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DocxContent } from '../../../core/ingest/docx/readDocx.ts';
import { attributeOf, childrenOf, classesOf, findAll, isNode, parseNative, textOf, type Native } from '../pandocNative.ts';
import type { Row, RowResult } from '../row.ts';
import { askAll, filesIn, firstDifference, outcome, readWord, type Answer } from '../wordFiles.ts';

const FOLDER = 'docx/pandoc/test/docx';
const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

interface ListItem {
  readonly value: number;
  readonly text: string;
}

/** Items of ordered lists with the last part of their number; pandoc keeps no more. */
function orderedItems(value: Native): ListItem[] {
  const items = isNode(value, 'OrderedList') ? childrenOf(value.args[1] ?? []) : [];
  const start = isNode(value, 'OrderedList') ? Number(childrenOf(value.args[0] ?? [])[0] ?? 1) : 1;
  const own = items.map((item, index): ListItem => ({ value: start + index, text: textOf(childrenOf(item)[0] ?? []).trim() }));
  return [...own, ...childrenOf(value).flatMap(orderedItems)];
}

function lastPart(number: string): number {
  const part = /([A-Za-z]+|\d+)\W*$/.exec(number)?.[1] ?? '';
  if (/\d/.test(part)) return Number(part);
  const roman = /^[ivx]+$/i.test(part)
    ? [...part.toLowerCase()].reduce((sum, sign, index, all) => sum + worth(sign) * (worth(all[index + 1]) > worth(sign) ? -1 : 1), 0)
    : 0;
  return part.length === 1 && !/[ivx]/i.test(part) ? part.toLowerCase().charCodeAt(0) - 96 : roman;
}

function worth(sign: string | undefined): number {
  return { i: 1, v: 5, x: 10 }[sign ?? ''] ?? 0;
}

function sameNumbers(content: DocxContent, file: string): Answer[] {
  const golden = file.replace(/\.docx$/, '.native');
  if (!existsSync(golden)) return [];
  return orderedItems(parseNative(readFileSync(golden, 'utf8'))).flatMap(({ value, text }) => {
    const blocks = content.blocks.filter((block) => text !== '' && block.text.endsWith(text) && block.number !== null);
    if (blocks.length === 0) return [];
    const right = blocks.some((block) => lastPart(block.number ?? '') === value);
    return [right ? undefined : `${JSON.stringify(text.slice(0, 30))} expected ${value}, found ${blocks[0]?.number}`];
  });
}

const TRACKED = ['insertion', 'deletion'];

async function pandocChanges(corpora: string): Promise<RowResult> {
  const answers: Answer[] = [];
  for (const file of filesIn(corpora, FOLDER, 'track_changes_*.docx')) {
    for (const [suffix, view] of [
      ['_accept', 'accepted'],
      ['_reject', 'original'],
      ['_all', 'both'],
      ['', 'both'],
    ] as const) {
      const golden = file.replace(/\.docx$/, `${suffix}.native`);
      if (!existsSync(golden)) continue;
      const tree = parseNative(readFileSync(golden, 'utf8'));
      const content = await readWord(file, view);
      const expected = paragraphsOf(tree).join('\n');
      const found = content.blocks
        .filter((block) => block.kind !== 'furniture')
        .map((block) => block.text)
        .join('\n');
      answers.push(expected === found ? undefined : `${path.basename(golden)}: ${firstDifference(found, expected)}`);
      if (view === 'both') answers.push(...sameChanges(tree, content).map((answer) => answer && `${path.basename(golden)}: ${answer}`));
    }
  }
  return outcome(answers, 1);
}

function paragraphsOf(tree: Native): string[] {
  return findAll(tree, ['Para', 'Plain', 'Header']).map((node) => squeeze(textOf(withoutComments(node))));
}

/** Pandoc prints a comment's own text inside the paragraph. */
function withoutComments(value: Native): Native {
  if (typeof value !== 'object') return value;
  if (isNode(value, 'Span') && JSON.stringify(value.args[0]).includes('"comment-start"')) return [];
  return 'name' in value ? { name: value.name, args: value.args.map(withoutComments) } : value.map(withoutComments);
}

/** Every insertion and deletion of pandoc with its author and date is one of ours; a move is an insertion and a deletion there. */
function sameChanges(tree: Native, content: DocxContent): Answer[] {
  const ours = content.revisions.map(({ kind, author, date, text }) =>
    [kind === 'insert' || kind === 'moveTo' ? 'insertion' : 'deletion', author, date ?? '', squeeze(text)].join('|'),
  );
  return findAll(tree, ['Span']).flatMap((span) => {
    const kind = TRACKED.find((name) => classesOf(span).includes(name));
    if (kind === undefined) return [];
    const expected = [kind, attributeOf(span, 'author'), attributeOf(span, 'date'), squeeze(textOf(span.args[1] ?? []))].join('|');
    return [ours.includes(expected) ? undefined : `expected ${expected}, found ${ours.join(' and ')}`];
  });
}

/** Pandoc puts a comment's text where its range begins, and a note's where its mark stands. */
function sameRemarks(content: DocxContent, file: string): Answer[] {
  const golden = file.replace(/\.docx$/, '.native');
  if (!existsSync(golden)) return [];
  const tree = parseNative(readFileSync(golden, 'utf8'));
  const blocks = new Map(content.blocks.map((block) => [block.id, block.text]));
  const comments = content.comments.map(({ id, author, date, text }) => [id, author, date ?? '', squeeze(text)].join('|'));
  const notes = content.notes.map(({ blockIds }) => squeeze(blockIds.map((id) => blocks.get(id) ?? '').join(' ')));
  const found = (ours: readonly string[], expected: string): Answer =>
    ours.includes(expected) ? undefined : `expected ${expected}, found ${ours.join(' and ')}`;
  return [
    ...findAll(tree, ['Span'])
      .filter((span) => classesOf(span).includes('comment-start'))
      .map((span) => found(comments, [...['id', 'author', 'date'].map((name) => attributeOf(span, name)), squeeze(textOf(span.args[1] ?? []))].join('|'))),
    ...findAll(tree, ['Note']).map((note) => found(notes, squeeze(findAll(note.args, ['Para', 'Plain']).map(textOf).join(' ')))),
  ];
}

export const rows: readonly Row[] = [
  {
    id: 'docx-lists',
    what: 'numbers of ordered lists against goldens',
    set: FOLDER,
    target: '100 %',
    run: async (corpora) => outcome(await askAll(filesIn(corpora, FOLDER), sameNumbers), 1),
  },
  { id: 'docx-changes', what: 'tracked changes in three views, with author and date', set: `${FOLDER}/track_changes_*`, target: '100 %', run: pandocChanges },
  {
    id: 'docx-remarks',
    what: 'comments with author, date and text; foot- and endnotes',
    set: FOLDER,
    target: '100 %',
    run: async (corpora) => outcome(await askAll(filesIn(corpora, FOLDER), sameRemarks), 1),
  },
];
