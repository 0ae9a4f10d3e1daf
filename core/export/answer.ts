// An answer as Markdown: verdict, evidence with places, the written answer if there is one, and what was read.
import type { Answer } from '../contract/answer.ts';
import { escapeMarkdown } from './escape.ts';

const VERDICTS: Record<Answer['verdict'], string> = { found: 'Found', absent: 'Not in these documents', uncertain: 'Uncertain', cut: 'Stopped before the end' };
const STATES = { verified: 'verified', repaired: 'verified after repair', unverified: 'not verified' } as const;
const SENTENCE_MARKS = {
  supported: '',
  unsupported: ' (not supported by its source)',
  contradicted: ' (contradicted by its source)',
  uncited: ' (no source)',
} as const;

export function answerMarkdown(answer: Answer): string {
  const lines = [`# ${escapeMarkdown(answer.question)}`, '', `**${VERDICTS[answer.verdict]}.** ${escapeMarkdown(answer.reason)}`];
  if (answer.value !== null) lines.push('', `Value: **${escapeMarkdown(answer.value)}**`);
  if (answer.prose.length > 0) {
    const sentences = answer.prose.map(
      ({ text, citations, state }) => `${escapeMarkdown(text)}${citations.map((n) => ` [${n}]`).join('')}${SENTENCE_MARKS[state]}`,
    );
    lines.push('', '## Answer', '', sentences.join(' '));
  }
  if (answer.evidence.length > 0) {
    lines.push('', '## Evidence');
    for (const { n, quote, documentName, path, heading, pageLabel, state } of answer.evidence) {
      const place = [
        escapeMarkdown(documentName),
        [path, heading]
          .filter((part) => part !== '')
          .map(escapeMarkdown)
          .join(' '),
        `page ${escapeMarkdown(pageLabel)}`,
      ]
        .filter((part) => part !== '')
        .join(', ');
      lines.push('', `[${n}] ${place} (${STATES[state]})`, '', `> ${escapeMarkdown(quote)}`);
    }
  }
  const { coverage } = answer;
  const ocr = coverage.ocrPages > 0 ? `, ${coverage.ocrPages} of them by OCR` : '';
  lines.push(
    '',
    '## Read',
    '',
    `${coverage.pagesRead} of ${coverage.pages} pages in ${coverage.documents} ${coverage.documents === 1 ? 'document' : 'documents'}${ocr}; ${coverage.windowsRead} of ${coverage.windows} windows, ${coverage.tokens} tokens. Reader: ${escapeMarkdown(answer.model.reader)}. Writer: ${answer.model.writer === null ? 'none' : escapeMarkdown(answer.model.writer)}.`,
  );
  return `${lines.join('\n')}\n`;
}
