// Comparison of published versions against what was seen by hand in the texts, of one text in several formats, and of texts that differ in form only.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { compareDocuments } from '../../../core/compare/compare.ts';
import type { Change, Comparison } from '../../../core/contract/comparison.ts';
import { isContent, type Document } from '../../../core/contract/document.ts';
import { parseDocument } from '../../../core/structure/document.ts';
import { contractFiles, readContract, versionFile } from '../contracts.ts';
import type { Row, RowResult } from '../row.ts';

interface Assertion {
  readonly what: string;
  readonly set: string;
  readonly before: string;
  readonly after: string;
  readonly holds: (comparison: Comparison) => boolean;
}

const words = (change: Change, op: 'insert' | 'delete'): string =>
  change.diff
    .filter((part) => part.op === op)
    .map(({ text }) => text.trim())
    .join(' ');
const only = (comparison: Comparison, holds: (change: Change) => boolean): boolean => comparison.changes.length === 1 && holds(comparison.changes[0]!);

const ASSERTIONS: readonly Assertion[] = [
  {
    what: 'BEIPA: the section on works for hire becomes a sentence of section 1',
    set: 'github-BEIPA',
    before: 'v046',
    after: 'v047',
    holds: (comparison) => only(comparison, ({ kind, before, after }) => kind === 'merged' && before?.path === '5' && after?.path === '1'),
  },
  {
    what: 'BEIPA 13c1710f: one cross-reference',
    set: 'github-BEIPA',
    before: 'v030',
    after: 'v031',
    holds: (comparison) =>
      only(comparison, (change) => change.topics.join() === 'crossReference' && words(change, 'delete') === '2' && words(change, 'insert') === '1'),
  },
  { what: 'BEIPA 03c03fdf: trailing spaces, no change', set: 'github-BEIPA', before: 'v033', after: 'v034', holds: ({ changes }) => changes.length === 0 },
  {
    what: 'Series Seed: the definition of Stockholder moves from 7.1 to 5.3',
    set: 'seriesseed-SPA',
    before: 'v001',
    after: 'v002',
    holds: ({ changes }) =>
      changes.some(
        ({ kind, before, after, reason }) =>
          kind === 'movedChanged' && before!.path.endsWith('7.1') && after!.path.endsWith('5.3') && reason.includes('“Stockholder”'),
      ),
  },
  {
    what: 'Series Seed: words on preemptive rights go from 4.2',
    set: 'seriesseed-SPA',
    before: 'v001',
    after: 'v002',
    holds: ({ changes }) => changes.some((change) => change.after?.path.endsWith(' 4.2') === true && words(change, 'delete').includes('preemptive rights')),
  },
  {
    what: 'Series Seed: a sentence on transfers is added in 8.1',
    set: 'seriesseed-SPA',
    before: 'v001',
    after: 'v002',
    holds: ({ changes }) =>
      changes.some((change) => change.after?.path.endsWith(' 8.1') === true && words(change, 'insert').startsWith('No Stockholder may transfer Shares unless')),
  },
  {
    what: 'GitHub corporate terms: two paragraphs move',
    set: 'github-corporate-ToS',
    before: 'v014',
    after: 'v015',
    holds: ({ changes }) => changes.filter(({ kind }) => kind === 'moved').length === 2,
  },
  {
    what: 'Common Paper CSA: Disclosing Party becomes Discloser, and nothing else',
    set: 'commonpaper-CSA',
    before: 'v038',
    after: 'v039',
    holds: ({ changes }) =>
      changes.length > 0 && changes.every((change) => words(change, 'delete') === 'Disclosing Party' && words(change, 'insert') === 'Discloser'),
  },
  {
    what: 'Common Paper CSA cc040bf9: one cross-reference',
    set: 'commonpaper-CSA',
    before: 'v046',
    after: 'v047',
    holds: (comparison) =>
      only(comparison, (change) => change.topics.join() === 'crossReference' && words(change, 'delete') === '12' && words(change, 'insert') === '10'),
  },
];

async function assertions(corpora: string): Promise<RowResult> {
  const failures: string[] = [];
  for (const { what, set, before, after, holds } of ASSERTIONS) {
    const [a, b] = [await readContract(versionFile(corpora, `versions/${set}`, before)), await readContract(versionFile(corpora, `versions/${set}`, after))];
    const [forward, backward] = [compareDocuments(a, b), compareDocuments(b, a)];
    if (!holds(forward))
      failures.push(
        `${what}: ${forward.changes
          .map(({ kind, reason }) => `${kind} ${reason}`)
          .join(' / ')
          .slice(0, 300)}`,
      );
    if (forward.changes.length !== backward.changes.length)
      failures.push(`${what}: ${backward.changes.length} changes when exchanged, ${forward.changes.length} before`);
  }
  return { score: `${ASSERTIONS.length - failures.length} of ${ASSERTIONS.length} hold`, reached: failures.length === 0, failures };
}

/** One text twice: [folder, Markdown, PDF] as published. */
const TWINS: readonly (readonly [string, string, string])[] = [
  ['Bonterms+Cloud-Terms', 'Cloud-Terms', 'Bonterms-Cloud-Terms-Version'],
  ['Bonterms+Mutual-NDA', 'Mutual-NDA', 'Bonterms-Mutual-NDA-Version'],
  ['Bonterms+Professional-Services-Agreement', 'Professional-Services-Agreement V1.2', 'Bonterms-Professional-Services-Agreement-PSA'],
];

async function twins(corpora: string): Promise<RowResult> {
  const failures: string[] = [];
  for (const [folder, markdown, pdf] of TWINS) {
    const [a, b] = [
      await readContract(versionFile(corpora, `templates/${folder}`, markdown)),
      await readContract(versionFile(corpora, `templates/${folder}`, pdf)),
    ];
    failures.push(...compareDocuments(a, b).changes.map((change) => `${folder}: ${told(change)}`));
  }
  return { score: `${failures.length} changes in ${TWINS.length} pairs`, reached: failures.length === 0, failures };
}

const told = ({ kind, before, after, diff }: Change): string =>
  `${kind} ${before?.path ?? '-'} > ${after?.path ?? '-'}: ${diff
    .filter(({ op }) => op !== 'equal')
    .map(({ op, text }) => `${op === 'insert' ? '+' : '-'}${text}`)
    .join(' ')
    .slice(0, 160)}`;

type Dress = (text: string, document: Document) => { readonly name: string; readonly bytes: Uint8Array };

/** A contract in another dress: the same words, so no change. */
const DRESSES: Readonly<Record<string, Dress>> = {
  'trailing spaces, line ends of Windows': (text) => ({ name: 'a.md', bytes: strToU8(text.replace(/\n/g, '  \r\n')) }),
  'other quotes, dashes and spaces': (text) => ({ name: 'a.md', bytes: strToU8(otherSigns(text)) }),
  HTML: (_text, document) => ({
    name: 'a.html',
    bytes: strToU8(
      `<!doctype html><html><body>${paragraphsOf(document)
        .map((line) => `<p>${escapeXml(line)}</p>`)
        .join('\n')}</body></html>`,
    ),
  }),
  DOCX: (_text, document) => ({ name: 'a.docx', bytes: docxOf(paragraphsOf(document)) }),
};
/** Lines broken by hand: a line may begin with what looks like the number of a clause, which is for the reader of texts to tell. */
const WRAPPED: Readonly<Record<string, Dress>> = {
  'lines of 72 characters': (_text, document) => ({ name: 'a.txt', bytes: strToU8(paragraphsOf(document).map(folded).join('\n\n')) }),
};
const otherSigns = (text: string): string =>
  text
    .replace(/["“”]/g, '”')
    .replace(/[’‘]/g, "'")
    .replace(/–/g, '—')
    .replace(/(?<=\w) (?=\w)/g, (_space, at: number) => (at % 7 === 0 ? '\u00a0' : ' '));
const paragraphsOf = ({ blocks }: Document): string[] => blocks.filter(isContent).map(({ text }) => text);
const folded = (text: string): string => text.replace(/(.{1,72})(?:\s+|$)/g, '$1\n').trimEnd();
const escapeXml = (text: string): string => text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter]!);

function docxOf(paragraphs: readonly string[]): Uint8Array {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`).join('');
  const parts = {
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels':
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

async function dresses(corpora: string, log: (line: string) => void, list: Readonly<Record<string, Dress>>): Promise<RowResult> {
  const files = contractFiles(corpora, 'tune').filter((file) => file.endsWith('.md'));
  const failures: string[] = [];
  let pairs = 0;
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const original = await readContract(file);
    for (const [dress, make] of Object.entries(list)) {
      const { name, bytes } = make(text, original);
      const { changes } = compareDocuments(original, await parsed(bytes, name));
      pairs++;
      log(`${basename(file)}, ${dress}: ${changes.length}`);
      if (changes.length > 0) failures.push(`${basename(file)}, ${dress}: ${changes.length} changes, first ${told(changes[0]!)}`);
    }
  }
  return { score: `${pairs - failures.length} of ${pairs} without a change`, reached: failures.length === 0, failures };
}

const parsed = (bytes: Uint8Array, name: string): Promise<Document> => parseDocument(bytes, name);

export const rows: readonly Row[] = [
  {
    id: 'comparison-versions',
    what: 'What was seen by hand in published versions',
    set: 'contracts/versions',
    target: 'all, both ways',
    run: (corpora) => assertions(corpora),
  },
  { id: 'comparison-twins', what: 'One text as Markdown and as PDF', set: 'contracts/templates', target: 'no change', run: (corpora) => twins(corpora) },
  {
    id: 'comparison-form',
    what: 'One text in other forms: spaces, quotes, HTML, DOCX',
    set: 'contracts/templates',
    target: 'no change',
    run: (corpora, log) => dresses(corpora, log, DRESSES),
  },
  {
    id: 'comparison-wrapped',
    what: 'One text as plain text with lines broken at 72 characters',
    set: 'contracts/templates',
    target: 'reported',
    run: async (corpora, log) => ({ ...(await dresses(corpora, log, WRAPPED)), reached: null }),
  },
];
