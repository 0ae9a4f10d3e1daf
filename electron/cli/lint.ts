// `codicil lint`: faults that can be found without a model: terms, references, numbers, dates, names, blanks, hidden text, what was left in the file.
import { RULE_IDS, type Finding, type RuleId } from '../../core/contract/review.ts';
import { EXIT, unknown, UsageError, type Command } from './command.ts';
import { batchExit, expectSome, resolveInputs } from './inputs.ts';
import type { Session } from './session.ts';
import { clean, clip, columnsOf, plural, wrap } from './terminal.ts';

export const lint: Command = {
  name: 'lint',
  usage: '<file|folder|id>...',
  about: 'Checks documents with deterministic rules. Nothing is guessed and no model is used. Findings do not change the exit code unless --strict is given.',
  options: {
    strict: { help: 'Exit with 1 when there is an error among the findings (for CI)' },
    rule: { value: 'ID', multiple: true, help: 'Only this rule, more than once for several; core/review/RULES.md has a section on each' },
  },
  examples: [
    ['codicil lint msa.docx', 'All findings with their places'],
    ['codicil lint contracts/ --strict --json', 'For CI'],
    ['codicil lint msa.docx --rule hidden-text --rule injected-instruction', 'Only what is hidden or meant for a machine'],
  ],
  run: async (session) => {
    if (session.args.positionals.length === 0) throw new UsageError('lint needs a document.', 'codicil lint --help');
    const only = session.args.texts('rule').map(ruleOf);
    const found = await resolveInputs(session, session.args.positionals);
    expectSome(found);
    const { handlers } = session.workspace();
    const documents = await Promise.all(
      found.inputs.map(async ({ document }) => ({
        documentId: document.id,
        name: document.name,
        labels: document.pages.map((page) => page.label),
        findings: (await handlers['document.lint']({ documentId: document.id })).findings.filter(({ rule }) => only.length === 0 || only.includes(rule)),
      })),
    );
    if (session.json) session.printJson({ documents: documents.map(({ labels: _labels, ...rest }) => rest), failures: found.failures });
    else for (const [i, entry] of documents.entries()) printFindings(session, entry.name, entry.findings, entry.labels, i > 0);
    const errors = documents.some((entry) => entry.findings.some((finding) => finding.severity === 'error'));
    return session.args.flag('strict') && errors ? EXIT.failed : batchExit(found);
  },
};

function ruleOf(name: string): RuleId {
  const rule = RULE_IDS.find((id) => id === name);
  if (!rule) {
    const { message } = unknown(`rule ${name}`, name, RULE_IDS, '--rule ', '');
    throw new UsageError(`${message} The rules are ${RULE_IDS.join(', ')}.`, 'codicil lint --help');
  }
  return rule;
}

const SEVERITIES = ['error', 'warning', 'info'] as const;
/** From this many findings on, the rules are counted at the end. */
const MANY = 12;

function printFindings(session: Session, name: string, findings: readonly Finding[], labels: readonly string[], further: boolean): void {
  const { terminal } = session;
  if (further) terminal.print();
  const counts = SEVERITIES.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [severity === 'info' ? plural(count, 'note') : plural(count, severity)];
  });
  terminal.print(`${terminal.bold(clean(name))}  ${terminal.dim(counts.length === 0 ? 'no findings' : counts.join(', '))}`);
  for (const finding of findings) printFinding(session, finding, labels);
  if (findings.length < MANY) return;
  const rules = [...Map.groupBy(findings, ({ rule }) => rule)].toSorted(([, a], [, b]) => b.length - a.length);
  terminal.print();
  terminal.print(wrap(terminal.dim(rules.map(([rule, group]) => `${rule} ${group.length}`).join(' · ')), terminal.width, '  ', 2));
}

/** What is wrong, what to write instead, and where: three lines at most. */
function printFinding({ terminal }: Session, finding: Finding, labels: readonly string[]): void {
  const mark = { error: terminal.red('✗'), warning: terminal.yellow('!'), info: terminal.dim('·') }[finding.severity];
  terminal.print(wrap(`${mark} ${clean(finding.message)}`, terminal.width, '  ', 4));
  if (finding.fix !== null) {
    const fix = clip(clean(finding.fix.text), terminal.width - 24);
    terminal.print(`    ${terminal.blue(fix === '' ? 'delete it' : `write “${fix}”`)}`);
  }
  const place = [finding.path, `p. ${labels[finding.page] ?? finding.page + 1}`].filter((part) => part !== '').join(' · ');
  const room = terminal.width - 4 - columnsOf(place) - columnsOf(finding.rule) - 8;
  const quote = clipAround(clean(finding.quote).replace(/\s+/g, ' '), Math.max(16, room));
  terminal.print(terminal.dim(`    ${clip(place, 40)} · ${finding.rule} · “${quote}”`));
}

/** A quote has the fault in its middle unless it begins or ends where its paragraph does: both sides give up what they have too much. */
function clipAround(quote: string, width: number): string {
  const surplus = columnsOf(quote) - width;
  if (surplus <= 0 || !quote.startsWith('…')) return clip(quote, width);
  const cut = quote.endsWith('…') ? Math.ceil(surplus / 2) : surplus;
  return clip(`…${quote.slice(cut + 1).replace(/^\S*\s/, '')}`, width);
}
