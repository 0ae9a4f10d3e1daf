// `codicil doctor`: is everything here that the program needs? One line for each, with what to do where it is not.
import { existsSync, statfsSync, statSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { toFailure } from '../../core/contract/errors.ts';
import { makeFolder } from '../workspace/folder.ts';
import { fileSha256, SHIPPED_READER, shippedReaderPath } from '../workspace/models.ts';
import { EXIT, type Command } from './command.ts';
import type { Session } from './session.ts';
import { formatBytes, wrap } from './terminal.ts';

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** Empty where nothing is to be done. */
  readonly advice: string;
}

const ok = (name: string, found: string): Check => ({ name, state: 'ok', found, advice: '' });
const warn = (name: string, found: string, advice: string): Check => ({ name, state: 'warn', found, advice });
const fail = (name: string, found: string, advice: string): Check => ({ name, state: 'fail', found, advice });

const LEAST_NODE = 24;
/** The Reader with the windows of a few hundred pages takes about this much. */
const LEAST_MEMORY = 2 * 2 ** 30;
const LEAST_DISK = 2 ** 30;

export const doctor: Command = {
  name: 'doctor',
  usage: '',
  about:
    'Checks Node, the engine, memory, disk, the Reader, SQLite and the built window. Lines marked ! are worth a look; ✗ stops something from working and exits with 1.',
  options: {},
  examples: [
    ['codicil doctor', 'All checks'],
    ['codicil doctor --json', 'For a bug report'],
  ],
  run: async (session) => {
    const checks = [node(), ...(await engine(session)), memory(), disk(session.dataDir), await reader(), sqlite(), window(), browser()];
    if (session.json) session.printJson({ checks });
    else printChecks(session, checks);
    return checks.some((check) => check.state === 'fail') ? EXIT.failed : EXIT.ok;
  },
};

function printChecks({ terminal }: Session, checks: readonly Check[]): void {
  const width = Math.max(...checks.map((check) => check.name.length)) + 2;
  for (const check of checks) {
    const mark = { ok: terminal.green('✓'), warn: terminal.yellow('!'), fail: terminal.red('✗') }[check.state];
    terminal.print(wrap(`${mark} ${check.name.padEnd(width)}${check.found}`, terminal.width, '', width + 2));
    if (check.advice !== '') terminal.print(wrap(terminal.dim(check.advice), terminal.width, ' '.repeat(width + 2)));
  }
}

function node(): Check {
  const found = process.versions.node;
  return Number(found.split('.')[0]) >= LEAST_NODE
    ? ok('Node', found)
    : fail('Node', `${found}, ${LEAST_NODE} or newer was expected`, 'Run through "npm run codicil", which brings its own Node.');
}

async function engine(session: Session): Promise<readonly Check[]> {
  try {
    const { engines } = session.workspace();
    const machine = await engines.engine().machine();
    const file = shippedReaderPath();
    const plan = existsSync(file) ? await engines.plan(file) : null;
    const stats = await instructionSet(session);
    return [
      ok('Engine', 'loads in its own process'),
      ok('Processor', `${machine.cpu}, ${machine.cores} cores${stats === '' ? '' : `, ${stats}`}`),
      ...(plan && !plan.fits ? [warn('Plan', plan.bottleneck, 'Close other programs, or add memory.')] : []),
    ];
  } catch (error) {
    return [fail('Engine', toFailure(error).message, 'Without it there is no Reader: clauses, compare and lint still work.')];
  }
}

/** Known only once a model is open; the Reader opens in well under a second. */
async function instructionSet(session: Session): Promise<string> {
  const file = shippedReaderPath();
  if (!existsSync(file)) return '';
  const model = await session.workspace().engines.engine().open(file);
  const { instructionSet: name } = await model.figures();
  await model.close();
  return name;
}

function memory(): Check {
  const text = `${formatBytes(freemem())} free of ${formatBytes(totalmem())}`;
  return totalmem() >= LEAST_MEMORY ? ok('Memory', text) : warn('Memory', text, `${formatBytes(LEAST_MEMORY)} or more keep the Reader fast on long documents.`);
}

function disk(dataDir: string): Check {
  try {
    makeFolder(dataDir);
    const { bavail, bsize, ffree, files } = statfsSync(dataDir);
    const text = `${formatBytes(bavail * bsize)} free in ${dataDir}`;
    if (bavail * bsize < LEAST_DISK) return warn('Disk', text, 'Free some space, or use another folder with --data-dir.');
    return files > 0 && ffree < 1000 ? warn('Disk', `${ffree} inodes free in ${dataDir}`, 'The file system can hold hardly any more files.') : ok('Disk', text);
  } catch (error) {
    return fail('Disk', toFailure(error).message, 'Use another folder with --data-dir.');
  }
}

async function reader(): Promise<Check> {
  const file = shippedReaderPath();
  if (!existsSync(file)) return fail('Reader', `${file} is not there`, 'Unpack the program again, or name another one with --reader.');
  const sum = await fileSha256(file);
  if (sum !== SHIPPED_READER.sha256)
    return fail('Reader', `sha256 ${sum.slice(0, 16)}… where ${SHIPPED_READER.sha256.slice(0, 16)}… was expected`, 'Unpack the program again.');
  return ok('Reader', `${SHIPPED_READER.file}, ${formatBytes(statSync(file).size)}, sha256 as shipped`);
}

function sqlite(): Check {
  try {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE VIRTUAL TABLE t USING fts5(a)');
    const { v } = db.prepare('SELECT sqlite_version() AS v').get() as { v: string };
    db.close();
    return ok('SQLite', `${v} with FTS5`);
  } catch (error) {
    return fail('SQLite', toFailure(error).message, 'A Node that was built with SQLite and FTS5 is needed.');
  }
}

export const rendererFolder = (): string => path.resolve(fileURLToPath(new URL('../../dist/renderer', import.meta.url)));

function window(): Check {
  const built = existsSync(path.join(rendererFolder(), 'index.html'));
  return built ? ok('Window', 'built in dist/renderer') : warn('Window', 'not built', 'Build it with "npm run build"; needed by codicil serve only.');
}

function browser(): Check {
  const candidates = [process.env['CODICIL_CHROMIUM'], process.env['CHROME_BIN'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const found = candidates.find((file) => file !== undefined && existsSync(file));
  return found
    ? ok('Chromium', `${found} (for tests of the window)`)
    : warn('Chromium', 'not found', 'Needed only for end-to-end tests; name one in CODICIL_CHROMIUM.');
}
