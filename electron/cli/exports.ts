// The seam to core/export: reports, and writing them to a file.
import { existsSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CodicilError } from '../../core/contract/errors.ts';

export { answerMarkdown } from '../../core/export/answer.ts';
export { clauseTableHtml, DEVIATION_LABELS } from '../../core/export/clauseTable.ts';
export { comparisonHtml, comparisonMarkdown } from '../../core/export/comparison.ts';
export { GROUP_LABELS } from '../../core/export/labels.ts';
export { redlineDocx } from '../../core/export/redline/redlineDocx.ts';

/** A report never takes the place of a document that it is about. Errors: invalid_request. */
export function refuseInput(output: string, inputs: readonly string[]): void {
  const place = realPlace(output);
  const input = inputs.find((name) => realPlace(name) === place);
  if (input !== undefined)
    throw new CodicilError('invalid_request', `A file of its own was expected for the report; "${output}" is the document ${input}. Name another file.`);
}

const realPlace = (file: string): string => (existsSync(file) ? realpathSync(file) : path.resolve(file));

/** Errors: io_failed. */
export async function writeReport(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    throw new CodicilError(
      'io_failed',
      `The report was expected to be written to ${file}; the system says: ${(error as Error).message}. Choose another place.`,
      { cause: error },
    );
  }
}
