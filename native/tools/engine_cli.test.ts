// engine-cli against what people and scripts get wrong: the exit code, one sentence, and nothing on stdout.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'build/native/engine-cli');
const model = path.join(root, 'assets/models/codicil-reader-135m-q4_0.gguf');
const missing = [program, model].find((file) => !existsSync(file));
if (missing) process.stderr.write(`SKIPPED: the tests of engine-cli, because ${path.relative(root, missing)} is not there.\n`);

describe.skipIf(missing !== undefined)('engine-cli', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'codicil-engine-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const run = (args: readonly string[]) => spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  const input = (name: string, value: unknown): string => {
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
  const reader = ['--model', model];

  it.each<readonly [what: string, code: number, sentence: RegExp, args: readonly string[]]>([
    ['no command', 2, /Expected a command, found none/, []],
    ['a command that is none', 2, /Expected one of the commands below, found dance/, ['dance']],
    ['an option of another command', 2, /Expected an option of plan, found --golden/, ['plan', ...reader, '--golden', 'x']],
    ['more threads than machines have', 1, /expected threads in 0\.\.1024/, ['plan', ...reader, '--threads', '100000']],
    ['a number that would wrap around', 2, /at most 1073741824 after --threads, found 4294967297/, ['plan', ...reader, '--threads', '4294967297']],
    ['a number that is none', 2, /whole number of at most 1073741824 after --context, found 4k/, ['plan', ...reader, '--context', '4k']],
    ['a budget of nothing', 2, /a size such as 8G or 300M .* found 0G/, ['plan', ...reader, '--ram-budget', '0G']],
    ['a budget beyond arithmetic', 2, /at most 1024T/, ['plan', ...reader, '--ram-budget', '999999999999999G']],
    ['no repeat', 2, /at least 1 after --repeat, found 0/, ['speed', ...reader, '--repeat', '0']],
    ['a format of keys and values that is none', 1, /expected .*f16.*found zz/, ['plan', ...reader, '--kv', 'zz']],
    ['no model there', 1, /not_found: A file was expected at \/nowhere\.gguf/, ['plan', '--model', '/nowhere.gguf']],
    ['a model that is none', 1, /model_invalid: /, ['plan', '--model', import.meta.filename]],
    ['token ids that are none', 1, /whole numbers of 0 or more .* place 1/, ['session', ...reader, '--tokens', 'ids.json']],
    ['an empty list of token ids', 1, /at least one token id/, ['session', ...reader, '--tokens', 'none.json']],
    ['a prompt that is no text', 1, /prompts as strings of at least one character .* place 0/, ['generate', ...reader, '--prompt-file', 'prompts.json']],
  ])('%s', (_what, code, sentence, args) => {
    const files = { 'ids.json': [1, 2.7], 'none.json': [], 'prompts.json': [5] };
    const result = run(args.map((arg) => (arg in files ? input(arg, files[arg as keyof typeof files]) : arg)));
    expect(result.stderr).toMatch(sentence);
    expect(result.stdout).toBe('');
    expect(result.status).toBe(code);
  });

  it('says so when its result cannot be written', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(program, ['inspect', ...reader], { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect(stderr).toMatch(/expected to be able to write the result, found: No space left/);
    expect(status).toBe(1);
  });

  it('helps on stdout', () => {
    const { status, stdout } = run(['--help']);
    expect(stdout).toContain('Usage: engine-cli COMMAND');
    expect(status).toBe(0);
  });
});
