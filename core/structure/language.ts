// Language of a document from its letters: script first, then the most frequent words. "und" when neither decides.
import { isContent, type Block } from '../contract/document.ts';

/** 20,000 characters decide as well as a whole contract. */
const SAMPLE = 20_000;

/** Ten most frequent function words each (any corpus list agrees on them). */
const WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: new Set(['the', 'of', 'and', 'to', 'in', 'or', 'any', 'shall', 'is', 'this', 'by', 'for']),
  de: new Set(['der', 'die', 'und', 'den', 'das', 'von', 'zu', 'mit', 'ist', 'des', 'nicht', 'oder']),
  fr: new Set(['le', 'la', 'les', 'des', 'et', 'du', 'une', 'est', 'que', 'dans', 'pour', 'ou']),
  es: new Set(['el', 'los', 'las', 'del', 'y', 'que', 'en', 'una', 'por', 'con', 'se', 'para']),
};

export function guessLanguage(blocks: readonly Block[]): string {
  let text = '';
  for (const block of blocks) {
    if (isContent(block)) text += `${block.text} `;
    if (text.length > SAMPLE) break;
  }
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return 'und';
  const kana = text.match(/[\u3041-\u30FF]/g)?.length ?? 0;
  const hangul = text.match(/[\uAC00-\uD7AF]/g)?.length ?? 0;
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (kana > 0.05 * letters) return 'ja';
  if (hangul > 0.2 * letters) return 'ko';
  if (han > 0.2 * letters) return 'zh';
  return byWords(text);
}

function byWords(text: string): string {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const shares = Object.entries(WORDS).map(([language, set]) => ({
    language,
    share: words.filter((word) => set.has(word)).length / Math.max(1, words.length),
  }));
  const best = shares.sort((a, b) => b.share - a.share)[0];
  // English contracts reach 0.25; lists of names in any language stay under 0.08.
  return best && best.share > 0.08 ? best.language : 'und';
}
