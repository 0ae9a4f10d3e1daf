// The app in a real Electron, under the shim: window, sandboxed preload, app protocol, both hosts, a document dropped and a question answered.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { _electron, expect, test, type ElectronApplication, type Page } from '@playwright/test';
import { ask, dropFiles, expectHighlights, ROOT, screenshot } from './window.ts';

let display: ChildProcess | null = null;
let app: ElectronApplication;
let page: Page;
const folder = mkdtempSync(path.join(os.tmpdir(), 'codicil-desktop-'));

test.describe.configure({ mode: 'serial' });

/** A virtual display of its own; Xvfb writes the number that it took. */
function startDisplay(): Promise<string> {
  display = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    display!.stdout!.once('data', (chunk: Buffer) => resolve(`:${chunk.toString().trim()}`));
    display!.once('error', reject);
    display!.once('exit', (code) => reject(new Error(`Xvfb ended with code ${code}`)));
  });
}

test.beforeAll(async () => {
  const number = await startDisplay();
  app = await _electron.launch({
    executablePath: process.env['CODICIL_ELECTRON']!,
    args: ['--no-sandbox', '--disable-gpu', `--user-data-dir=${path.join(folder, 'profile')}`, `--data-dir=${path.join(folder, 'data')}`],
    env: {
      ...(process.env as Record<string, string>),
      DISPLAY: number,
      CODICIL_SHIM: path.join(ROOT, 'e2e/electron/shim.cjs'),
      CODICIL_MAIN: path.join(ROOT, 'dist/electron/main.js'),
      CODICIL_NODE: process.execPath,
      CODICIL_DRIVER: path.join(path.dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'lib/server/electron/loader.js'),
    },
  });
  page = await app.firstWindow();
});

/** What a person may wait for after closing the window: the hosts' own limits (2 s, 5 s) and a slow machine. */
const CLOSE_MS = 20_000;

/** The app is gone, with every process it started. Otherwise: which ones are still there, and they are ended. */
async function close(): Promise<void> {
  const { pid } = app.process();
  const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), CLOSE_MS).unref());
  if ((await Promise.race([app.close(), late])) !== 'late') return;
  // Playwright starts the app as the leader of a process group.
  const left = execFileSync('ps', ['-o', 'pid,ppid,stat,etime,time,wchan:24,args', '--cols', '160', '-g', String(pid)], { encoding: 'utf8' });
  process.kill(-pid!, 'SIGKILL');
  throw new Error(`The app was expected to end within ${CLOSE_MS / 1000} s of its closing, and these processes are left:\n${left}`);
}

test.afterAll(async () => {
  try {
    if (app) await close();
  } finally {
    display?.removeAllListeners('exit');
    display?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the window comes over the app protocol, sandboxed and isolated', async () => {
  expect(page.url()).toBe('app://codicil/index.html');
  const inside = await page.evaluate(() => ({ node: typeof (globalThis as { require?: unknown }).require, api: typeof (globalThis as { api?: unknown }).api }));
  expect(inside).toEqual({ node: 'undefined', api: 'object' });
  const preferences = await app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]!.webContents as unknown as {
      getLastWebPreferences(): { sandbox: boolean; contextIsolation: boolean; nodeIntegration: boolean };
    };
    const { sandbox, contextIsolation, nodeIntegration } = contents.getLastWebPreferences();
    return { sandbox, contextIsolation, nodeIntegration };
  });
  expect(preferences).toEqual({ sandbox: true, contextIsolation: true, nodeIntegration: false });
});

test('a document is dropped, a question answered and its place highlighted', async () => {
  await dropFiles(page, ['bonterms-psa-1.2.pdf']);
  await expect(page.getByTestId('document-row')).toHaveCount(1);
  await page.getByTestId('document-row').click();
  await expect(page.locator('[data-testid="page"] canvas').first()).toBeVisible();
  await ask(page, 'What is the charge for late payments?');
  const evidence = page.getByTestId('evidence').filter({ hasText: '1.5% per month' }).first();
  await expect(evidence).toBeVisible({ timeout: 170_000 });
  await evidence.click();
  await expectHighlights(page);
  await screenshot(page, 'desktop-light');
});
