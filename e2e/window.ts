// What a person does in the window, for both carriers: drop files, ask, follow a citation, compare, summarise.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';

export const ROOT = path.resolve(import.meta.dirname, '..');
export const SAMPLES = ['bonterms-psa-1.0.pdf', 'bonterms-psa-1.2.pdf'] as const;
const sample = (name: string): string => path.join(ROOT, 'assets/samples', name);

/** Drops files on the window as a file manager does. */
export async function dropFiles(page: Page, names: readonly string[]): Promise<void> {
  const files = names.map((name) => ({ name, data: readFileSync(sample(name)).toString('base64') }));
  await dropBytes(page, files);
}

export async function dropBytes(page: Page, files: readonly { readonly name: string; readonly data: string }[]): Promise<void> {
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const file of list) data.items.add(new File([Uint8Array.from(atob(file.data), (unit) => unit.charCodeAt(0))], file.name));
    return data;
  }, files);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(400);
  await page.screenshot({ path: path.join(ROOT, 'build/screenshots', `${name}.png`) });
}

export async function ask(page: Page, question: string): Promise<void> {
  await page.getByTestId('tab-ask').click();
  await page.getByTestId('ask-input').fill(question);
  await page.getByTestId('ask-submit').click();
}

/** Every highlight on screen lies on drawn words: its box is inside its page and has a size. */
export async function expectHighlights(page: Page): Promise<void> {
  const boxes = page.getByTestId('highlight-box');
  await expect(boxes.first()).toBeVisible();
  const inside = await boxes.evaluateAll((elements) =>
    elements.every((element) => {
      const box = element.getBoundingClientRect();
      const sheet = element.closest('[data-testid="page"]')!.getBoundingClientRect();
      return (
        box.width > 4 &&
        box.height > 4 &&
        box.left >= sheet.left - 1 &&
        box.right <= sheet.right + 1 &&
        box.top >= sheet.top - 1 &&
        box.bottom <= sheet.bottom + 1
      );
    }),
  );
  expect(inside).toBe(true);
}
