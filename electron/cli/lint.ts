// `codicil lint`: faults that can be found without a model: undefined terms, broken references, gaps, amounts that contradict themselves.
import type { Finding } from '../../core/contract/review.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import { batchExit, expectSome, resolveInputs } from './inputs.ts';
import type { Session } from './session.ts';
import { clean, clip, columnsOf, plural, wrap } from './terminal.ts';

export const lint: Command = {
  name: 'lint',
  usage: '<file|folder|id>...',
  about: 'Checks documents with deterministic rules. Nothing is guessed and no model is used. Findings do not change the exit code unless --strict is given.',
  options: { strict: { help: 'Exit with 1 when there is an error among the findings (for CI)' } },
  examples: [
    ['codicil lint msa.docx', 'All findings with their places'],
    ['codicil lint contracts/ --strict --json', 'For CI'],
  ],
  run: async (session) => {
    if (session.args.positionals.length === 0) throw new UsageError('lint needs a document.', 'codicil lint --help');
    const found = await resolveInputs(session, session.args.positionals);
    expectSome(found);
    const { handlers } = session.workspace();
    const documents = await Promise.all(
      found.inputs.map(async ({ document }) => ({
        documentId: document.id,
        name: document.name,
        labels: document.pages.map((page) => page.label),
        findings: (await handlers['document.lint']({ documentId: document.id })).findings,
      })),
    );
    if (session.json) session.printJson({ documents: documents.map(({ labels: _labels, ...rest }) => rest), failures: found.failures });
    else for (const [i, entry] of documents.entries()) printFindings(session, entry.name, entry.findings, entry.labels, i > 0);
    const errors = documents.some((entry) => entry.findings.some((finding) => finding.severity === 'error'));
    return session.args.flag('strict') && errors ? EXIT.failed : batchExit(found);
  },
};

function printFindings({ terminal }: Session, name: string, findings: readonly Finding[], labels: readonly string[], further: boolean): void {
  if (further) terminal.print();
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length] as const)
    .filter(([, count]) => count > 0);
  const total =
    counts.length === 0 ? 'no findings' : counts.map(([severity, count]) => (severity === 'info' ? `${count} info` : plural(count, severity))).join(', ');
  terminal.print(`${terminal.bold(clean(name))}  ${terminal.dim(total)}`);
  for (const finding of findings) {
    const mark = { error: terminal.red('✗'), warning: terminal.yellow('!'), info: terminal.dim('·') }[finding.severity];
    const place = [finding.path, `p. ${labels[finding.page] ?? finding.page + 1}`].filter((part) => part !== '').join(' · ');
    terminal.print(wrap(`${mark} ${clean(finding.message)}`, terminal.width, '  ', 4));
    const room = terminal.width - 4 - columnsOf(place) - columnsOf(finding.rule) - 8;
    const quote = clip(clean(finding.quote).replace(/\s+/g, ' '), Math.max(16, room));
    terminal.print(terminal.dim(`    ${clip(place, 40)} · ${finding.rule} · “${quote}”`));
  }
}
