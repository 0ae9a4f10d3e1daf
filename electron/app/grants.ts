// Files that a person gave the program: chosen in the dialog, opened with it, or dropped on its icon. Main reads them and hands on bytes.
//
// Rule: a path never goes to a window and never comes from one; only a person's own choice makes main read a file.
import { app, dialog, type BrowserWindow } from 'electron';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

export interface GrantedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The same limit as core's readers have for one file; above it the bytes would only be carried to be refused. */
const MAX_BYTES = 512 * 1024 * 1024;
const FILTERS = [
  { name: 'Documents', extensions: 'pdf docx txt text md markdown html htm xhtml eml png jpg jpeg tif tiff'.split(' ') },
  { name: 'All files', extensions: ['*'] },
];

/** Files that cannot be read are named in one message; the others go on. */
export async function readGranted(paths: readonly string[]): Promise<readonly GrantedFile[]> {
  const refused: string[] = [];
  const files = await Promise.all(
    paths.map(async (file): Promise<GrantedFile | null> => {
      try {
        const { size } = await stat(file);
        if (size > MAX_BYTES) throw new Error(`${Math.round(size / 1e6)} MB, at most ${Math.round(MAX_BYTES / 1e6)} MB are read`);
        app.addRecentDocument(file);
        return { name: path.basename(file), bytes: new Uint8Array(await readFile(file)) };
      } catch (error) {
        refused.push(`${path.basename(file)}: ${error instanceof Error ? error.message : String(error)}`);
        return null;
      }
    }),
  );
  if (refused.length > 0) dialog.showErrorBox('Some files could not be read', refused.join('\n'));
  return files.filter((file) => file !== null);
}

export async function chooseFiles(window: BrowserWindow): Promise<readonly GrantedFile[]> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Add documents',
    properties: ['openFile', 'multiSelections'],
    filters: FILTERS,
  });
  return canceled ? [] : readGranted(filePaths);
}
