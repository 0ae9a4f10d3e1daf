// `codicil serve` for a test: a data folder of its own, any free port, ended by its own pid; and the browser that looks at it.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from '@playwright/test';
import { ROOT } from './window.ts';

export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Debian's Chromium, or the one that CHROMIUM names, with one empty page. */
export async function openBrowser(): Promise<{ readonly browser: Browser; readonly page: Page }> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  });
  return { browser, page: await browser.newPage({ viewport: { width: 1440, height: 920 }, colorScheme: 'light' }) };
}

export async function startServe(): Promise<Served> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'codicil-e2e-'));
  const child = spawn(process.execPath, ['electron/cli/main.ts', 'serve', '--port', '0', '--json', '--data-dir', folder], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /"url":\s*"([^"]+)"/.exec(text);
      if (found) resolve(found[1]!);
    });
    child.on('exit', (code) => reject(new Error(`codicil serve ended with code ${code} before it printed its address`)));
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, process: child, stop };
}

/** Process ids of the engine hosts below a process: what a crash of the engine is made with. */
export async function engineHosts(parent: number): Promise<readonly number[]> {
  const { readdirSync, readFileSync } = await import('node:fs');
  const found: number[] = [];
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parentOf = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]);
      if (parentOf === parent && /engine[-/]host/.test(readFileSync(`/proc/${name}/cmdline`, 'utf8'))) found.push(Number(name));
    } catch (error) {
      // A process that ended while the list was read is none that we look for.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return found;
}
