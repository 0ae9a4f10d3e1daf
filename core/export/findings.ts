// Findings of the linter as plain text, a line, its quote and its correction each, for a terminal or a log: "page 3, 8.2: error broken-reference: ...".
import type { Finding } from '../contract/review.ts';

/** `pageLabels` are the labels of the document's pages, by index. */
export function findingsText(findings: readonly Finding[], pageLabels: readonly string[]): string {
  if (findings.length === 0) return 'No findings.\n';
  const lines = findings.flatMap(({ page, path, severity, rule, message, quote, fix }) => {
    const place = [`page ${pageLabels[page] ?? page + 1}`, path].filter((part) => part !== '').join(', ');
    // A terminal takes control characters as commands: none of a document's may reach it.
    const shown = quote.replace(/\p{Cc}+/gu, ' ').trim();
    const better = fix === null ? [] : [fix.text === '' ? '    delete it' : `    write: ${fix.text.replace(/\p{Cc}+/gu, ' ')}`];
    return [`${place}: ${severity} ${rule}: ${message.replace(/\p{Cc}+/gu, ' ')}`, `    ${shown.length > 160 ? `${shown.slice(0, 159)}…` : shown}`, ...better];
  });
  return `${lines.join('\n')}\n`;
}
