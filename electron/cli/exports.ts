// The seam to core/export: reports, and writing them to a file.
import { writeFile } from 'node:fs/promises';
import { CodicilError } from '../../core/contract/errors.ts';

export { answerMarkdown } from '../../core/export/answer.ts';
export { clauseTableHtml, DEVIATION_LABELS } from '../../core/export/clauseTable.ts';
export { comparisonHtml, comparisonMarkdown } from '../../core/export/comparison.ts';
export { GROUP_LABELS } from '../../core/export/labels.ts';
export { redlineDocx } from '../../core/export/redline/redlineDocx.ts';

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
