// `codicil summary`: parties, dates, amounts, terms of a contract as fields, each with the place it stands at.
import type { Field, Summary } from '../../core/contract/summary.ts';
import { toFailure } from '../../core/contract/errors.ts';
import { UsageError, type Command } from './command.ts';
import { batchExit, expectSome, resolveInputs, type InputFailure } from './inputs.ts';
import type { Session } from './session.ts';
import { clean, clip, columnsOf, plural, wrap, type Terminal } from './terminal.ts';

export const summary: Command = {
  name: 'summary',
  usage: '<file|folder|id>...',
  about:
    'Fills the fields of the published schema (codicil.summary/1). Every value stands literally in the document; "not found" (read, and not there) is never confused with "not read".',
  options: {},
  examples: [
    ['codicil summary msa.pdf', 'A table of fields with their places'],
    ['codicil summary contracts/ --json > facts.json', 'A whole folder as JSON'],
    ['codicil summary msa.pdf --no-reader', 'Extractors only: instant, fewer fields'],
  ],
  run: async (session) => {
    if (session.args.positionals.length === 0) throw new UsageError('summary needs a document.', 'codicil summary --help');
    const found = await resolveInputs(session, session.args.positionals);
    expectSome(found);
    const workspace = session.workspace();
    const failures: InputFailure[] = [...found.failures];
    const summaries: Summary[] = [];
    for (const { document } of found.inputs) {
      const unsubscribe = workspace.subscribe((event) => {
        if (event.type === 'answer.progressed') session.terminal.progress(`Summarising ${document.name}`, event.done, event.total, 'fields');
      });
      session.terminal.progress(`Summarising ${document.name}`, 0, 0, 'reading');
      try {
        const made = await workspace.handlers['summary.run']({ documentId: document.id });
        summaries.push(made);
        if (!session.json)
          printSummary(
            session,
            made,
            document.pages.map((page) => page.label),
            summaries.length > 1,
          );
      } catch (error) {
        failures.push({ input: document.name, failure: toFailure(error) });
        session.reportFailure(toFailure(error));
      } finally {
        unsubscribe();
      }
    }
    if (session.json) session.printJson({ summaries, failures });
    return batchExit({ inputs: found.inputs.slice(0, summaries.length), failures });
  },
};

const LABELS: Readonly<Record<string, string>> = {
  agreementDate: 'Agreement date',
  effectiveDate: 'Effective date',
  expirationDate: 'Expiration date',
  renewalNotice: 'Renewal notice',
  governingLaw: 'Governing law',
  liabilityCap: 'Liability cap',
  nonCompete: 'Non-compete',
};
const labelOf = (name: string): string => LABELS[name] ?? name[0]!.toUpperCase() + name.slice(1);

function printSummary({ terminal }: Session, made: Summary, labels: readonly string[], further: boolean): void {
  if (further) terminal.print();
  terminal.print(terminal.bold(clean(made.documentName)));
  const width = 16;
  const missing: Record<'not_found' | 'not_read', string[]> = { not_found: [], not_read: [] };
  for (const [name, field] of Object.entries(made.fields)) {
    if (field.status === 'not_found' || field.status === 'not_read') missing[field.status].push(labelOf(name).toLowerCase());
    else printField(terminal, labelOf(name), field, labels, width);
  }
  const line = (title: string, names: readonly string[]): void => {
    if (names.length > 0) terminal.print(wrap(terminal.dim(`  ${title.padEnd(width)}${names.join(', ')}`), terminal.width, '', width + 2));
  };
  line('Not found', missing.not_found);
  line('Not read', missing.not_read);
  const { coverage } = made;
  terminal.print(
    terminal.dim(
      `\n  ${coverage.pagesRead} of ${plural(coverage.pages, 'page')} read · ${coverage.windowsRead} of ${plural(coverage.windows, 'window')} · ${made.model ?? 'without a model'}`,
    ),
  );
}

/** One line a value, its place at the right margin. */
function printField(terminal: Terminal, label: string, field: Field, labels: readonly string[], width: number): void {
  for (const [i, value] of field.values.entries()) {
    const place = clip([labels[value.page] === undefined ? '' : `p. ${labels[value.page]}`, clean(value.path)].filter((part) => part !== '').join(' · '), 28);
    const conflict = i === 0 && field.status === 'conflicting' ? `${terminal.yellow('≠')} ` : '';
    const written = clean(value.value).replace(/\s+/g, ' ');
    const normal = tellsMore(written, value.normalized) ? ` (${value.normalized})` : '';
    const room = terminal.width - width - 4 - columnsOf(place) - columnsOf(conflict);
    const shown = clip(written, Math.max(16, room - columnsOf(normal)));
    const pad = ' '.repeat(Math.max(2, room + 2 - columnsOf(shown) - columnsOf(normal)));
    terminal.print(`  ${(i === 0 ? label : '').padEnd(width)}${conflict}${shown}${terminal.dim(normal)}${pad}${terminal.dim(place)}`);
  }
}

/** A normal form is for machines: a person gains from it beside a short value that it makes exact (a date, a period), not beside an amount or a sentence. */
const tellsMore = (written: string, normalized: string | null): boolean =>
  normalized !== null && written.length <= 40 && !/^[A-Z]{3} \d+$/.test(normalized) && folded(normalized) !== folded(written);
const folded = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
