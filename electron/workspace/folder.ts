// Folders that the program makes for its own data, readable by their owner alone.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** Makes a folder and those above it. Part by part: Node's own recursive form never returns where the system refuses new names (/proc). */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  for (const at of missing) {
    try {
      mkdirSync(at, { mode: 0o700 });
    } catch (error) {
      // Another process of this program may make it at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
