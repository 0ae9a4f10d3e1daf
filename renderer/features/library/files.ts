// Files out of a drop, a file input or the shell's open dialog, folders walked, as names and bytes.
import type { NamedBytes } from '../../store/intake.ts';

/** What core's readers open; used only to filter folders, never to judge a file that was named itself. */
const READABLE = /\.(pdf|docx|txt|text|md|markdown|x?html?|eml|png|jpe?g|tiff?)$/i;
export const ACCEPT = '.pdf,.docx,.txt,.text,.md,.markdown,.html,.htm,.xhtml,.eml,.png,.jpg,.jpeg,.tif,.tiff';

export async function bytesOf(file: File): Promise<NamedBytes> {
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

export async function filesOfDrop(transfer: DataTransfer): Promise<readonly NamedBytes[]> {
  // Entries must be taken before the first await: the list is emptied when the event ends.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const loose = entries.length === 0 ? [...transfer.files] : [];
  const walked = await Promise.all(entries.map((entry) => walk(entry, true)));
  return Promise.all([...loose, ...walked.flat()].map(bytesOf));
}

async function walk(entry: FileSystemEntry, named: boolean): Promise<readonly File[]> {
  if (entry.isFile) {
    if (!named && !READABLE.test(entry.name)) return [];
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    // A reader gives at most 100 entries a call and an empty list at the end.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return found;
    for (const child of batch) found.push(...(await walk(child, false)));
  }
}
