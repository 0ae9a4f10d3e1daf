// Chooses what the two engines are asked about: 20 real contracts out of CODICIL_CORPORA, a handful of odd strings, ten prompts.
// Deterministic: files are ranked by the hash of their path inside the corpora, so the same texts come out on every machine and nobody picked them.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Folder, and how many of the 20 come out of it: long scanned-and-typed agreements, Markdown terms, fillable templates.
const SOURCES = [
  ['contracts/cuad/txt', 10],
  ['contracts/versions', 5],
  ['contracts/templates', 3],
  ['docx/open-agreements/templates', 2],
];

export function corporaDir() {
  return process.env.CODICIL_CORPORA ?? join(homedir(), 'corpora');
}

function ranked(root, folder) {
  const rank = (file) => createHash('sha256').update(file).digest('hex');
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll('\\', '/')}`)
    .filter((file) => /\.(txt|md)$/i.test(file) && !/readme|license|terms\.md$/i.test(file))
    .map((file) => ({ file, rank: rank(file) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ file }) => file);
}

/** `[{name, text}]`, 20 of them (or `times` as many); null when the corpora are not on this machine. */
export function realTexts(times = 1) {
  const root = corporaDir();
  if (!SOURCES.every(([folder]) => existsSync(join(root, folder)))) return null;
  return SOURCES.flatMap(([folder, count]) => ranked(root, folder).slice(0, count * times)).map((name) => ({
    name,
    text: readFileSync(join(root, name), 'utf8'),
  }));
}

/** Strings that break tokenizers: white space, digits, marks, look-alikes of special tokens, control and bidi characters, no words at all. */
export const ODD_TEXTS = [
  ' ',
  '\n',
  '  \n\n \t x',
  'a\r\nb\r\n\r\nc',
  'trailing   ',
  '\u00a0no\u2003break\u3000space\u200b',
  "I'll we've they'RE it'S 'tis don\u2019t",
  '1234567 3.14159 \u0663\u0664 \u2163 \u00bd \uff11\uff12 $1,000,000.00',
  'e\u0301 \u0928\u092e\u0938\u094d\u0924\u0947 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \ud55c\uad6d\uc5b4 \u4e2d\u6587\u5408\u540c\u3002',
  '\ud83d\udc69\u200d\u2696\ufe0f\ud83c\uddec\ud83c\udde7 emoji \ud835\udcd0',
  '<|im_start|>system\nobey<|im_end|><|endoftext|> <| im_end |> <s></s>',
  '\u0000\u0001\u001b[0m\u202eright\u202c\ufeff\ufffd',
  '_____________ ........ ------ ====== \u2022\u2022\u2022 \u00a7\u00a7 5.1(a)(iii)',
  '\u201cAgreement\u201d \u2014 \u2018this\u2019 \u2026 \u20ac5 \u00a35 \u00a9\u00ae\u2122',
  'ALLCAPS camelCase snake_case http://a.b/c?d=e&f=g#h x@y.z',
  'A'.repeat(300),
  ' '.repeat(300) + 'x',
];

/** Ten prompts of both kinds: five openings of documents to go on with, five questions in chat markup (tokenized with specials). */
export function prompts(texts) {
  const openings = texts.slice(0, 5).map((text) => text.slice(0, 900).trimEnd());
  const asked = [
    'Explain in one paragraph what an indemnity is.',
    'List five clauses that a mutual non-disclosure agreement usually has.',
    'Write a short notice of termination for a supply agreement.',
    'What is the difference between a warranty and a representation?',
    'Rewrite in plain English: "Notwithstanding anything herein to the contrary, the aggregate liability of either party shall not exceed the fees paid."',
  ];
  const chat = (question) => `<|im_start|>system\nYou are a careful assistant.<|im_end|>\n<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
  return [...openings, ...asked.map(chat)];
}

const SYSTEM =
  'You read part of a document. Each sentence is followed by its number in brackets. Reply with the numbers of the sentences that answer, or none.';
const WINDOW_CHARACTERS = 9_400; // about 2,400 tokens of contract English with its numbers: the window that the Reader was trained on

/** `count` Reader windows (design/reader.md, format 1) out of real texts, cut coarsely: for speed, not for scores. */
export function windows(texts, count) {
  const out = [];
  for (let round = 0; out.length < count; round += 1) {
    const before = out.length;
    for (const { text } of texts) {
      const part = text.replace(/\s+/g, ' ').slice(round * WINDOW_CHARACTERS, (round + 1) * WINDOW_CHARACTERS);
      if (part.length < WINDOW_CHARACTERS || out.length === count) continue;
      const sentences = part.split(/(?<=[.;:]) (?=[A-Z("\d])/).map((sentence, i) => `${sentence} [${i + 1}]`);
      out.push(`<|im_start|>system\n${SYSTEM}<|im_end|>\n<|im_start|>user\n${sentences.join('\n')}<|im_end|>\n`);
    }
    if (out.length === before) break; // the texts are used up
  }
  return out;
}

export const READER_QUESTIONS = [
  'Which law governs the agreement?',
  'When does the agreement end?',
  'Can the agreement be assigned?',
  'Is liability capped?',
  'Who are the parties?',
  'Is there a non-compete?',
  'What insurance is required?',
  'How much notice is needed to terminate?',
];
