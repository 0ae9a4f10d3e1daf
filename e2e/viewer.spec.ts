// What the viewer draws: boxes that sit on the words of turned and scaled pages, and a first page while the rest is still being read.
import { expect, test, type Browser, type Locator, type Page } from '@playwright/test';
import { longPdf, turnedPdf, TURNS } from './pages.ts';
import { openBrowser, startServe, type Served } from './serve.ts';
import { dropBytes, screenshot } from './window.ts';

let served: Served;
let browser: Browser;
let page: Page;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  served = await startServe();
  ({ browser, page } = await openBrowser());
  await page.goto(served.url);
});

test.afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

interface Fit {
  /** How far ink reaches out of the highlighted box, in CSS pixels; 0 when it stays inside. */
  readonly over: number;
  /** Share of the box's width that the ink spans. */
  readonly filled: number;
}

/** Where the ink of the drawn page lies around the highlighted box of a page. */
async function inkAround(sheet: Locator): Promise<Fit> {
  return sheet.getByTestId('highlight-box').evaluate((element) => {
    const canvas = element.closest('[data-testid="page"]')!.querySelector('canvas')!;
    const [box, ground] = [element.getBoundingClientRect(), canvas.getBoundingClientRect()];
    const ratio = canvas.width / ground.width;
    const reach = 24;
    const [left, top] = [Math.round((box.left - ground.left - reach) * ratio), Math.round((box.top - ground.top - reach) * ratio)];
    const [width, height] = [Math.round((box.width + 2 * reach) * ratio), Math.round((box.height + 2 * reach) * ratio)];
    const { data } = canvas.getContext('2d')!.getImageData(left, top, width, height);
    let [x0, y0, x1, y1] = [width, height, 0, 0];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        if (data[(y * width + x) * 4]! > 128) continue;
        [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x + 1), Math.max(y1, y + 1)];
      }
    const edge = reach * ratio;
    const over = Math.max(edge - x0, edge - y0, x1 - (width - edge), y1 - (height - edge), 0) / ratio;
    return { over, filled: (x1 - x0) / ratio / box.width };
  });
}

test('the box of a finding sits on its words on pages turned by any quarter and at any zoom', async () => {
  await dropBytes(page, [{ name: 'turned.pdf', data: base64(turnedPdf()) }]);
  await page.getByTestId('document-row').click();
  await page.getByTestId('tab-review').click();
  for (const [index, turn] of TURNS.entries()) {
    await page
      .getByTestId('finding-row')
      .filter({ hasText: `INSERT NAME ${index + 1}` })
      .first()
      .click();
    const sheet = page.locator(`[data-testid="page"][data-page="${index}"]`);
    for (const zoom of ['Zoom in', 'Zoom in', 'Zoom out']) {
      await page.getByRole('button', { name: zoom }).click();
      await expect(sheet.locator('canvas[data-drawn="true"]')).toBeVisible();
      await page.waitForTimeout(500);
      const fit = await inkAround(sheet);
      expect(fit.over, `page turned by ${turn}: ink out of its box`).toBeLessThan(2);
      expect(fit.filled, `page turned by ${turn}: share of the box`).toBeGreaterThan(0.9);
    }
    await screenshot(page, `turned-${turn}`);
  }
});

test('the first page of a long file is on screen while the rest is still being read', async () => {
  const before = await page.getByTestId('document-row').count();
  await dropBytes(page, [{ name: 'long.pdf', data: base64(longPdf(400)) }]);
  const row = page.locator('[data-testid="intake-row"][data-phase="parsing"]');
  await row.getByRole('button', { name: 'long.pdf' }).first().click();
  await expect(page.locator('[data-testid="preview"] canvas[data-drawn="true"]').first()).toBeVisible();
  expect(await row.count(), 'the file was still being read').toBe(1);
  await screenshot(page, 'preview-light');
  await expect(page.getByTestId('document-row')).toHaveCount(before + 1, { timeout: 120_000 });
  await expect(page.getByTestId('viewer')).toBeVisible();
});
