// Characters of symbol fonts -> the Unicode characters that they draw.
//
// Owns: w:sym and letters set in Symbol, Wingdings or Webdings. These fonts put their signs at U+F020..U+F0FF or at the letters' own codes.
// Rule: a sign without a known meaning is left out rather than shown as an unrelated letter.

/** Adobe Symbol encoding from 0x20 (Unicode mapping of Adobe, symbol.txt); '\0' where there is no character. */
const SYMBOL_LOW = ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼';
/** From 0xa0. */
const SYMBOL_HIGH = '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭';

const WINGDINGS: Readonly<Record<number, string>> = {
  0x20: ' ',
  0x22: '✂',
  0x28: '☎',
  0x29: '✆',
  0x2a: '✉',
  0x2b: '✉',
  0x36: '⌛',
  0x3f: '✍',
  0x4a: '☺',
  0x4c: '☹',
  0x52: '☼',
  0x6c: '●',
  0x6d: '❍',
  0x6e: '■',
  0x6f: '☐',
  0x70: '❐',
  0x71: '❑',
  0x72: '❒',
  0x74: '⬧',
  0x75: '◆',
  0x76: '❖',
  0x77: '⬥',
  0x78: '☒',
  0x80: '⓪',
  0x9e: '·',
  0x9f: '•',
  0xa1: '○',
  0xa7: '▪',
  0xa8: '☐',
  0xd8: '➢',
  0xdf: '←',
  0xe0: '→',
  0xe1: '↑',
  0xe2: '↓',
  0xe8: '➔',
  0xef: '⇦',
  0xf0: '⇨',
  0xf3: '⬄',
  0xfb: '☒',
  0xfc: '✓',
  0xfd: '☒',
  0xfe: '☑',
};
const WINGDINGS2: Readonly<Record<number, string>> = { 0x4f: '✗', 0x50: '✓', 0x51: '☒', 0x52: '☑', 0x53: '☒', 0x54: '☒', 0x97: '•', 0x98: '●', 0xa3: '☐' };
const WEBDINGS: Readonly<Record<number, string>> = { 0x61: '✓', 0x63: '□', 0x67: '■', 0x72: '✗' };

export function isSymbolFont(font: string | undefined): boolean {
  return font !== undefined && /^(?:symbol|wingdings(?: ?[23])?|webdings)$/i.test(font);
}

/** What the code draws in the font; '' where its meaning is not known. */
export function symbolOf(code: number, font: string | undefined): string {
  const low = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  if (!isSymbolFont(font)) return low === code ? plain(code) : (symbol(low) ?? '');
  if (low > 0xff) return plain(code);
  const name = (font ?? '').toLowerCase().replace(' ', '');
  if (name === 'symbol') return symbol(low) ?? '';
  if (low >= 0x81 && low <= 0x8a && name === 'wingdings') return String.fromCharCode(0x2460 + low - 0x81);
  return (name === 'webdings' ? WEBDINGS : name === 'wingdings2' ? WINGDINGS2 : WINGDINGS)[low] ?? '';
}

/** A text in a symbol font; in any other font only characters of the symbol area (U+F0xx) are translated. */
export function readSymbols(text: string, font: string | undefined): string {
  if (isSymbolFont(font)) return [...text].map((character) => symbolOf(character.codePointAt(0) ?? 0, font)).join('');
  return text.replace(/[\uf020-\uf0ff]/g, (character) => symbolOf(character.charCodeAt(0), font));
}

function symbol(low: number): string | undefined {
  const found = low >= 0xa0 ? SYMBOL_HIGH[low - 0xa0] : SYMBOL_LOW[low - 0x20];
  return found === '\0' ? undefined : found;
}

function plain(code: number): string {
  return code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && !(code >= 0xe000 && code <= 0xf8ff) ? String.fromCodePoint(code) : '';
}
