// A mail on the command line: each of its files is a document of the batch, one that fails is told, mail in mail ends somewhere.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from './main.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'codicil-mail-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ingest(
  name: string,
  mail: string,
): Promise<{ readonly code: number | null; readonly names: readonly string[]; readonly failures: readonly { readonly input: string }[] }> {
  const file = path.join(folder, name);
  writeFileSync(file, mail.replace(/\n/g, '\r\n'));
  let stdout = '';
  const code = await runCommand(['ingest', file, '--json', '--data-dir', path.join(folder, 'data')], {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: () => undefined },
    env: { NO_COLOR: '1' },
  });
  const { documents, failures } = JSON.parse(stdout) as { documents: readonly { readonly name: string }[]; failures: readonly { readonly input: string }[] };
  return { code, names: documents.map((document) => document.name), failures };
}

const mail = (subject: string, parts: readonly string[]): string =>
  [`From: a@example.com\nSubject: ${subject}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=${subject}\n`, ...parts, '']
    .join(`\n--${subject}\n`)
    .replace(/\n$/, '--\n');
const part = (type: string, name: string, content: string): string => `Content-Type: ${type}\nContent-Disposition: attachment; filename=${name}\n\n${content}`;

describe('a mail on the command line', { timeout: 120_000 }, () => {
  it('fault: one bad attachment costs the message or the other attachments', async () => {
    const files = [
      part('text/plain', 'terms.txt', '1. Term. Two years.'),
      part('application/pdf', 'broken.pdf', '%PDF-1.7 nothing'),
      part('text/html', 'page.html', '<p>A page.</p>'),
    ];
    const found = await ingest('three.eml', mail('three', files));
    expect(found).toMatchObject({ code: 3, names: ['three.eml', 'terms.txt', 'page.html'] });
    expect(found.failures.map((failure) => failure.input)).toEqual(['broken.pdf']);
    // The message is in the library by now; what is attached to it is found all the same.
    expect((await ingest('three.eml', mail('three', files))).names).toEqual(['three.eml', 'terms.txt', 'page.html']);
  });

  it('follows mail in mail three deep and says where it stops', async () => {
    const nest = (depth: number): string =>
      mail(`d${depth}`, depth === 5 ? ['Content-Type: text/plain\n\nthe innermost'] : [part('message/rfc822', `m${depth + 1}.eml`, nest(depth + 1))]);
    const found = await ingest('m0.eml', nest(0));
    expect(found.names).toEqual(['m0.eml', 'm1.eml', 'm2.eml', 'm3.eml']);
    expect(found.failures.map((failure) => failure.input)).toEqual(['m4.eml']);
  });
});
