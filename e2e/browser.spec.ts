// The window in Chromium over `codicil serve`: the whole path of a person with two contracts, and the engine killed under it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type Browser, type Page } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { engineHosts, openBrowser, startServe, type Served } from './serve.ts';
import { ask, dropBytes, dropFiles, expectHighlights, ROOT, SAMPLES, screenshot } from './window.ts';

let served: Served;
let browser: Browser;
let page: Page;
const errors: string[] = [];

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  served = await startServe();
  ({ browser, page } = await openBrowser());
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(served.url);
});

test.afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

test('two contracts dropped on the window are parsed and listed', async () => {
  await screenshot(page, 'empty-light');
  await dropFiles(page, SAMPLES);
  await expect(page.getByTestId('document-row')).toHaveCount(2);
  await page.getByTestId('document-row').filter({ hasText: '1.2' }).click();
  await expect(page.getByTestId('clause-row').first()).toBeVisible();
  await expect(page.locator('[data-testid="page"] canvas').first()).toBeVisible();
  await screenshot(page, 'library-light');
});

test('a question is answered with verified evidence, and its citation leads to the words', async () => {
  await ask(page, 'How many days does the customer have to review a deliverable?');
  await expect(page.getByTestId('verdict').last()).toBeVisible({ timeout: 150_000 });
  const evidence = page.getByTestId('evidence').filter({ hasText: 'Customer will have 15 days' }).first();
  await expect(evidence).toBeVisible();
  await expect(evidence).toHaveAttribute('data-state', 'verified');
  await expect(page.getByTestId('coverage').last()).toBeVisible();
  await evidence.click();
  await expectHighlights(page);
  await screenshot(page, 'ask-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, 'ask-dark');
  await page.emulateMedia({ colorScheme: 'light' });
});

test('a question without an answer is not answered', async () => {
  await ask(page, 'Is source code held in escrow?');
  await expect(page.getByTestId('verdict')).toHaveCount(2, { timeout: 150_000 });
  await expect(page.getByTestId('verdict').last()).not.toContainText(/^Found/);
});

test('two versions are compared clause by clause, in a list and side by side', async () => {
  await page.getByTestId('tab-compare').click();
  await page.getByTestId('compare-before').selectOption({ label: SAMPLES[0] });
  await page.getByTestId('compare-after').selectOption({ label: SAMPLES[1] });
  await page.getByTestId('compare-run').click();
  const inserted = page.getByTestId('change-row').filter({ hasText: 'Covered Claim' }).first();
  await expect(inserted).toBeVisible();
  await inserted.click();
  await expectHighlights(page);
  await screenshot(page, 'compare-light');
  await page.getByTestId('side-by-side').click();
  await expect(page.getByTestId('side-row').first()).toBeVisible();
  await screenshot(page, 'side-by-side-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, 'side-by-side-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByTestId('side-by-side').click();
});

test('the summary is exported as JSON that fits its published schema', async () => {
  await page.getByTestId('tab-summary').click();
  await page.getByTestId('summary-run').click();
  await expect(page.getByTestId('summary')).toBeVisible({ timeout: 170_000 });
  await screenshot(page, 'summary-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, 'summary-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('summary-export').click()]);
  const exported: unknown = JSON.parse(readFileSync(await download.path(), 'utf8'));
  const schema = JSON.parse(readFileSync(path.join(ROOT, 'assets/schemas/summary.schema.json'), 'utf8')) as object;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect(validate(exported), JSON.stringify(validate.errors)).toBe(true);
});

test('the linter lists its findings', async () => {
  await page.getByTestId('tab-review').click();
  await expect(page.getByTestId('findings')).toBeVisible();
  await screenshot(page, 'review-light');
});

test('a damaged file says what is wrong and the good one beside it is read', async () => {
  const good = 'bonterms-psa-1.2.pdf';
  const whole = readFileSync(path.join(ROOT, 'assets/samples', good));
  await dropBytes(page, [
    { name: 'empty.pdf', data: '' },
    { name: 'cut.docx', data: Buffer.from('PK\u0003\u0004broken').toString('base64') },
    { name: good, data: whole.toString('base64') },
  ]);
  await expect(page.locator('[data-testid="intake-row"][data-phase="failed"]')).toHaveCount(2);
  await expect(page.getByTestId('document-row')).toHaveCount(2);
  await screenshot(page, 'failures-light');
});

test('when the engine is killed during an answer, the window says so and the next answer comes', async () => {
  await ask(page, 'May the provider use subcontractors without approval?');
  await expect(page.getByTestId('answer-progress')).toBeVisible();
  const [engine] = await engineHosts(served.process.pid!);
  expect(engine).toBeGreaterThan(0);
  process.kill(engine!, 'SIGKILL');
  await expect(page.getByTestId('exchange').last()).toContainText(/engine|cut/i);
  await screenshot(page, 'engine-killed-light');
  await expect(page.getByTestId('engine-state')).toContainText(/ready/i, { timeout: 60_000 });
  await ask(page, 'What is the charge for late payments?');
  await expect(page.getByTestId('evidence').filter({ hasText: '1.5% per month' }).first()).toBeVisible({ timeout: 170_000 });
});

test('what a button opens beside itself is closed by Escape and by a press elsewhere', async () => {
  for (const [button, name] of [
    ['settings', 'Settings'],
    ['model-picker', 'Models'],
  ] as const) {
    const opened = page.getByRole('dialog', { name });
    await page.getByTestId(button).click();
    await expect(opened).toBeVisible();
    await screenshot(page, `${button}-light`);
    await opened.click({ position: { x: 20, y: 20 } });
    await expect(opened).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(opened).toHaveCount(0);
    await page.getByTestId(button).click();
    await expect(opened).toBeVisible();
    await page.locator('body').click({ position: { x: 400, y: 20 } });
    await expect(opened).toHaveCount(0);
  }
});

test('nothing went wrong unseen', () => {
  expect(errors).toEqual([]);
});
