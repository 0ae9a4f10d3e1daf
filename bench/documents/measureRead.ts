// One file read in a process of its own: `node measureRead.ts FILE` prints processor time, time to the first page and the most memory, as JSON.
//
// Processor time of all threads of the process (garbage collector and compiler too): what one core would take.
import { readFileSync } from 'node:fs';
import { parseDocument } from '../../core/structure/document.ts';

const bytes = readFileSync(process.argv[2] as string);
const start = process.cpuUsage();
let firstPage = 0;
const spent = (): number => {
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1000;
};
const onProgress = (): void => {
  firstPage ||= spent();
};
const document = await parseDocument(bytes, 'measured.pdf', { onProgress });
const figures = {
  ms: spent(),
  firstPageMs: firstPage,
  megabytes: process.resourceUsage().maxRSS / 1024,
  pages: document.pages.length,
  clauses: document.clauses.length,
};
process.stdout.write(JSON.stringify(figures));
