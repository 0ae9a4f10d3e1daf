// Rules of the house that a machine can check: sizes, headers, names, error codes, nothing forbidden in tracked text.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_SENTENCES } from '../core/contract/errors.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const sources = tracked.filter((file) => /\.(tsx?|mjs|cc|h|cu)$/.test(file) && !/(^|\/)(unicode_data\.cc)$/.test(file));
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const lines = (text: string): number => text.split('\n').length - 1;

describe('the house', () => {
  it('keeps files below their hard stop', () => {
    const limit = (file: string): number => (/\.(cc|h|cu)$/.test(file) ? 900 : 500);
    expect(sources.filter((file) => lines(read(file)) > limit(file)).map((file) => `${file}: ${lines(read(file))} lines`)).toEqual([]);
  });

  it('begins every file over 80 lines with what it owns', () => {
    const bare = sources.filter((file) => lines(read(file)) > 80 && !/^(#!.*\n)?(\/\/|\/\*)/.test(read(file)));
    expect(bare).toEqual([]);
  });

  it('has no names that say nothing, no index.ts, no default exports', () => {
    expect(sources.filter((file) => /(^|\/)(index\.tsx?|(utils?|helpers?|common|misc|manager)\.(tsx?|cc|h))$/.test(file))).toEqual([]);
    const defaults = sources.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('config.ts') && /^export default/m.test(read(file)));
    expect(defaults).toEqual([]);
  });

  it('leaves no unfinished work', () => {
    const mark = new RegExp(`\\b(${['TO', 'FIX', 'XX'].map((start, i) => start + ['DO', 'ME', 'X'][i]).join('|')})\\b`);
    expect(sources.filter((file) => mark.test(read(file)))).toEqual([]);
  });

  it('mirrors the error codes in the native engine', () => {
    const header = read('native/base/status.h');
    const body = /enum class Code \{([\s\S]*?)\};/.exec(header)![1]!;
    const names = [...body.matchAll(/^\s*([a-z_]+),/gm)].map((match) => match[1]!).filter((name) => name !== 'ok');
    expect(names).toEqual(Object.keys(ERROR_SENTENCES));
  });

  it('has words for every reading that the engine may be slowed by', () => {
    const names = [...read('native/device/governor.cc').matchAll(/\{"(\w+)", limits_\./g)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThan(0);
    const words = read('renderer/features/engine/slowed.ts');
    expect(names.filter((name) => !words.includes(`  ${name}: (`))).toEqual([]);
  });

  it('refuses to regenerate goldens in CI', () => {
    expect(process.env['CI'] && process.env['UPDATE_GOLDENS']).toBeFalsy();
  });
});
