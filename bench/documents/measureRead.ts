// One file read in a process of its own: `node measureRead.ts FILE` prints processor time, time to the first page and the most memory, as JSON.
//
// Processor time of all threads of the process (garbage collector and compiler too): what one core would take.
import { readFileSync } from 'node:fs';
import { parseDocument } from '../../core/structure/document.ts';

interface Run {
  readonly ms: number;
  readonly firstPageMs: number;
  readonly pages: number;
  readonly clauses: number;
}

async function readOnce(bytes: Uint8Array): Promise<Run> {
  const start = process.cpuUsage();
  const spent = (): number => {
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1000;
  };
  let firstPageMs = 0;
  const onProgress = (): void => {
    firstPageMs ||= spent();
  };
  const { pages, clauses } = await parseDocument(bytes, 'measured.pdf', { onProgress });
  return { ms: spent(), firstPageMs, pages: pages.length, clauses: clauses.length };
}

const bytes = readFileSync(process.argv[2] as string);
const first = await readOnce(bytes);
const megabytes = process.resourceUsage().maxRSS / 1024;
// Again in the same process: its parsers are loaded and compiled then, as in the worker that the program keeps.
const again = process.argv[3] === 'twice' ? await readOnce(bytes) : first;
process.stdout.write(JSON.stringify({ ...first, megabytes, againMs: again.ms }));
