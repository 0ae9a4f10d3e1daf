// A mail whose attachment is a crooked scan, dropped on the window: recognised in the sandboxed worker under the window's policy, its words boxed on the picture.
import { expect, test, type Browser, type Page } from '@playwright/test';
import * as mupdf from 'mupdf';
import { openBrowser, startServe, type Served } from './serve.ts';
import { dropBytes, screenshot } from './window.ts';

let served: Served;
let browser: Browser;
let page: Page;

test.beforeAll(async () => {
  served = await startServe();
  ({ browser, page } = await openBrowser());
  await page.goto(served.url);
});

test.afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

const LINES = ['1. Parties. This agreement is made between the seller and', '[INSERT NAME OF BUYER]', 'who are together called the parties to this agreement.'];

/** One page that is a picture only, 1.5 degrees crooked. */
function scannedPdf(): Uint8Array {
  const text = new mupdf.PDFDocument();
  const font = text.addSimpleFont(new mupdf.Font('Helvetica'), 'Latin');
  const content = LINES.map((line, index) => `BT /F1 12 Tf 90 ${640 - 40 * index} Td (${line}) Tj ET`).join('\n');
  text.insertPage(-1, text.addPage([0, 0, 612, 792], 0, { Font: { F1: font } }, content));
  const scale = 200 / 72;
  const [cos, sin] = [Math.cos(0.026) * scale, Math.sin(0.026) * scale];
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, Math.round(612 * scale), Math.round(792 * scale)], false);
  pixmap.clear(255);
  const device = new mupdf.DrawDevice([cos, sin, -sin, cos, 0, 0], pixmap);
  text.loadPage(0).run(device, mupdf.Matrix.identity);
  device.close();
  const scan = new mupdf.PDFDocument();
  const picture = scan.addImage(new mupdf.Image(pixmap));
  scan.insertPage(-1, scan.addPage([0, 0, 612, 792], 0, { XObject: { P: picture } }, 'q 612 0 0 792 0 0 cm /P Do Q'));
  return scan.saveToBuffer('compress').asUint8Array();
}

test('a scan attached to a mail is read beside it, and a finding is boxed on its picture', async () => {
  const lines = Buffer.from(scannedPdf()).toString('base64').replace(/.{76}/g, '$&\r\n');
  const mail = [
    'From: ann@example.com',
    'Subject: The signed copy',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>Here it is.</p>',
    '--b',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename=signed.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    lines,
    '--b--',
    '',
  ].join('\r\n');
  await dropBytes(page, [{ name: 'copy.eml', data: Buffer.from(mail).toString('base64') }]);
  await expect(page.getByTestId('document-row')).toHaveCount(2, { timeout: 120_000 });
  await page.getByTestId('document-row').filter({ hasText: 'signed.pdf' }).click();
  await page.getByTestId('tab-review').click();
  await page.getByTestId('finding-row').filter({ hasText: 'INSERT NAME' }).first().click();
  const sheet = page.locator('[data-testid="page"][data-page="0"]');
  await expect(sheet.locator('canvas[data-drawn="true"]')).toBeVisible();
  await expect(sheet.getByTestId('highlight-box').first()).toBeVisible();
  await screenshot(page, 'scan-light');
});
