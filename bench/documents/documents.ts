// `npm run bench:documents [-- ROW ...] [--verbose] [--json]`: every row of rows/, printed with its target and what failed.
//
// A row that throws is a failed row; the others go on. Exit code 1 when a target is missed, 2 when a name is unknown.
// Times are processor time of this process, because other programs may share the machine.
import { readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { MissingSet, type Row, type RowResult } from './row.ts';

interface Outcome extends RowResult {
  readonly id: string;
  readonly what: string;
  readonly set: string;
  readonly target: string;
  readonly state: 'reached' | 'missed' | 'reported' | 'skipped';
  readonly seconds: number;
}

/** Longest list of failures that is read as a list; --verbose shows all. */
const SHOWN_FAILURES = 12;
const MARK = { reached: 'ok  ', missed: 'MISS', reported: 'info', skipped: 'SKIP' } as const;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { verbose: { type: 'boolean' }, json: { type: 'boolean' } } });
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);

async function allRows(): Promise<readonly Row[]> {
  const folder = path.join(import.meta.dirname, 'rows');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.includes('.test'));
  const modules = await Promise.all(files.toSorted().map((file) => import(path.join(folder, file)) as Promise<{ readonly rows?: readonly Row[] }>));
  return modules.flatMap((module) => module.rows ?? []);
}

async function runRow(row: Row, corpora: string): Promise<Outcome> {
  const start = process.cpuUsage();
  const log = (line: string): void => (values.verbose ? say(`       ${line}`) : undefined);
  const about = { id: row.id, what: row.what, set: row.set, target: row.target };
  const spent = (): number => {
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1e6;
  };
  try {
    const result = await row.run(corpora, log);
    const state = result.reached === null ? 'reported' : result.reached ? 'reached' : 'missed';
    return { ...about, ...result, state, seconds: spent() };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof MissingSet) return { ...about, score: message, reached: null, failures: [], state: 'skipped', seconds: spent() };
    return { ...about, score: `failed: ${message}`, reached: false, failures: [], state: 'missed', seconds: spent() };
  }
}

function show(outcome: Outcome): void {
  say(`${MARK[outcome.state]} ${outcome.id.padEnd(22)} ${outcome.score}`);
  say(`       ${outcome.what} · ${outcome.set} · target: ${outcome.target} · ${outcome.seconds.toFixed(1)} s`);
  const shown = values.verbose ? outcome.failures : outcome.failures.slice(0, SHOWN_FAILURES);
  for (const failure of shown) say(`       - ${failure}`);
  if (shown.length < outcome.failures.length) say(`       - and ${outcome.failures.length - shown.length} more (--verbose)`);
}

const rows = await allRows();
const unknown = positionals.filter((name) => !rows.some((row) => row.id === name));
if (unknown.length > 0) {
  process.stderr.write(`Expected names of rows: ${rows.map((row) => row.id).join(', ')}. Found: ${unknown.join(', ')}.\n`);
  process.exit(2);
}
const corpora = process.env['CODICIL_CORPORA'] ?? path.join(os.homedir(), 'corpora');
say(`${os.cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}; documents from ${corpora}\n`);
const outcomes: Outcome[] = [];
for (const row of positionals.length === 0 ? rows : rows.filter(({ id }) => positionals.includes(id))) {
  const outcome = await runRow(row, corpora);
  outcomes.push(outcome);
  show(outcome);
}
const count = (state: Outcome['state']): number => outcomes.filter((outcome) => outcome.state === state).length;
say(`\n${count('reached')} reached, ${count('missed')} missed, ${count('reported')} reported, ${count('skipped')} skipped`);
if (values.json) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
process.exitCode = count('missed') > 0 ? 1 : 0;
