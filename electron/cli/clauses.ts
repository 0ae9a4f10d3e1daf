// `codicil clauses`: the clause tree of documents, as a lawyer cites it.
import { VIEWS, type Clause, type Document, type Span, type View } from '../../core/contract/document.ts';
import { alignAll } from './clauseTable.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import { batchExit, distinctlyNamed, expectSome, resolveInputs } from './inputs.ts';
import type { Session } from './session.ts';
import { clean, clip, columnsOf, plural } from './terminal.ts';

export const clauses: Command = {
  name: 'clauses',
  usage: '<file|folder|id>...',
  about:
    'Prints the numbered clause tree with headings. Numbers are those of the document: what is wrong there is kept (see codicil lint). With --align, the same clause of every document side by side.',
  options: {
    depth: { value: 'N', help: 'Only so many levels' },
    text: { help: "Print each clause's whole text" },
    view: { value: 'VIEW', help: 'Read tracked changes of a DOCX as original, accepted or both (accepted)' },
    align: { help: 'Show the same clause of every document side by side, against a baseline' },
    baseline: { value: 'FILE', help: 'With --align: the document to measure the others by (the first)' },
    clause: { value: 'NAME', help: 'With --align: only clauses of this name or type' },
    html: { value: 'FILE', help: 'With --align: write a self-contained HTML report' },
  },
  examples: [
    ['codicil clauses --align ours.docx theirs.pdf other.md --clause "limitation of liability"', 'One clause in three contracts'],
    ['codicil clauses --align *.pdf --baseline ours.pdf --html clauses.html', 'All clauses, as a report'],
    ['codicil clauses msa.pdf --depth 1', 'The articles of an agreement'],
    ['codicil clauses draft.docx --view original', 'The clauses before the tracked changes'],
    ['codicil clauses msa.docx --json', 'The tree with spans and places, as JSON'],
  ],
  run: async (session) => {
    if (session.args.positionals.length === 0) throw new UsageError('clauses needs a document.', 'codicil clauses --help');
    const depth = session.args.number('depth', 1, 20) ?? 20;
    const view = viewOf(session);
    const result = await resolveInputs(session, session.args.positionals);
    expectSome(result);
    const documents = await Promise.all(distinctlyNamed(result.inputs).map((document) => inView(session, document, view)));
    if (session.args.flag('align')) return (await alignAll(session, documents)) ? batchExit(result) : EXIT.failed;
    for (const option of ['baseline', 'clause', 'html'])
      if (session.args.text(option) !== undefined) throw new UsageError(`--${option} belongs to --align.`, 'codicil clauses --help');
    if (session.json) session.printJson({ documents: documents.map((document) => jsonOf(document, depth)), failures: result.failures });
    else for (const [i, document] of documents.entries()) printTree(session, document, depth, i > 0);
    return batchExit(result);
  },
};

function viewOf(session: Session): View {
  const text = session.args.text('view') ?? 'accepted';
  const view = VIEWS.find((name) => name === text);
  if (!view) throw new UsageError(`--view takes ${VIEWS.join(', ')}; "${text}" is none of them.`, 'codicil clauses --help');
  return view;
}

/** The library keeps documents as accepted; another view is read from the file's bytes and not stored. */
async function inView(session: Session, document: Document, view: View): Promise<Document> {
  if (document.kind !== 'docx' || document.view === view) return document;
  const workspace = session.workspace();
  const { bytes } = await workspace.handlers['document.bytes']({ documentId: document.id });
  return workspace.parser.parse({ name: document.name, bytes, password: session.password, view });
}

function jsonOf(document: Document, depth: number): unknown {
  const wanted = document.clauses.filter((clause) => clause.depth < depth);
  const pages = blockPages(document);
  return {
    documentId: document.id,
    name: document.name,
    clauses: wanted.map((clause) => ({ ...clause, page: pages.get(clause.spans[0]?.blockId ?? '') ?? null, text: clauseText(document, clause) })),
  };
}

function printTree(session: Session, document: Document, depth: number, further: boolean): void {
  const { terminal } = session;
  const whole = session.args.flag('text');
  const pages = blockPages(document);
  if (further) terminal.print();
  terminal.print(
    `${terminal.bold(clean(document.name))}  ${terminal.dim(`${plural(document.pages.length, 'page')}, ${plural(document.clauses.length, 'clause')}`)}`,
  );
  for (const clause of document.clauses) {
    if (clause.depth >= depth) continue;
    const page = pages.get(clause.spans[0]?.blockId ?? '');
    const label = page === undefined ? '' : `p. ${document.pages[page]?.label ?? page + 1}`;
    const indent = '  '.repeat(clause.depth + 1);
    const number = clause.number === '' ? terminal.dim('·') : terminal.dim(clean(clause.number));
    const room = terminal.width - indent.length - columnsOf(number) - 1 - label.length - 2;
    const text = clean(
      clauseText(document, clause)
        .slice(clause.number === '' ? 0 : clause.number.length)
        .replace(/\s+/g, ' ')
        .replace(/^[\s.]+/, ''),
    );
    const title = clause.heading !== '' ? terminal.bold(clip(clean(clause.heading).replace(/\s+/g, ' '), room)) : clip(text, room);
    const pad = ' '.repeat(Math.max(2, room + 2 - columnsOf(title)));
    terminal.print(`${indent}${number} ${title}${label === '' ? '' : pad + terminal.dim(label)}`);
    if (whole && text !== '') terminal.wrap(text, `${indent}  `);
  }
}

function clauseText(document: Document, clause: Clause): string {
  const blocks = blockTexts(document);
  if (document.view !== 'both') return clause.spans.map((span) => (blocks.get(span.blockId) ?? '').slice(span.start, span.end)).join('\n');
  return clause.spans.map((span) => markedText(document, span, blocks.get(span.blockId) ?? '')).join('\n');
}

/** Tracked changes inside the text, in the marks of a word diff: [-deleted-] {+inserted+}. */
function markedText(document: Document, { blockId, start, end }: Span, text: string): string {
  const marks = document.revisions.flatMap(({ kind, span }) => {
    if (span === null || span.blockId !== blockId || span.end <= span.start || kind === 'format') return [];
    const gone = kind === 'delete' || kind === 'moveFrom';
    return [{ from: Math.max(span.start, start), to: Math.min(span.end, end), open: gone ? '[-' : '{+', close: gone ? '-]' : '+}' }];
  });
  let [out, at] = ['', start];
  for (const mark of marks.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from)) {
    if (mark.from < at) continue;
    out += text.slice(at, mark.from) + mark.open + text.slice(mark.from, mark.to) + mark.close;
    at = mark.to;
  }
  return out + text.slice(at, end);
}

const texts = new WeakMap<Document, ReadonlyMap<string, string>>();
function blockTexts(document: Document): ReadonlyMap<string, string> {
  const known = texts.get(document) ?? new Map(document.blocks.map((block) => [block.id, block.text]));
  texts.set(document, known);
  return known;
}

function blockPages(document: Document): ReadonlyMap<string, number> {
  return new Map(document.blocks.map((block) => [block.id, block.at[0]?.page ?? 0]));
}
