// Repairs of single characters that every reader applies: ligatures, odd spaces, invisible signs, compatibility forms.
//
// Rule: the result is NFC, not NFKC: "²" and "½" keep their meaning, only drawn variants of ordinary text are opened.

const LIGATURES: Readonly<Record<string, string>> = {
  '\uFB00': 'ff',
  '\uFB01': 'fi',
  '\uFB02': 'fl',
  '\uFB03': 'ffi',
  '\uFB04': 'ffl',
  '\uFB05': 'st',
  '\uFB06': 'st',
  '\u0132': 'IJ',
  '\u0133': 'ij',
};
const SPACE = /[\t\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\n\r\v\f]/;
/** Zero-width signs, bidi controls, byte order mark, control characters. U+00AD is treated by the caller: at a line's end it joins words. */
// eslint-disable-next-line no-control-regex -- control characters are what is searched
const INVISIBLE = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u00AD]/;

/** One source character as it shall stand in a text; '' if it is invisible. */
export function repairCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code > 0x1f && code < 0x7f) return character;
  if (SPACE.test(character)) return ' ';
  if (INVISIBLE.test(character)) return '';
  const opened = LIGATURES[character];
  if (opened !== undefined) return opened;
  // Kangxi radicals (U+2F00..2FDF) and CJK compatibility ideographs are drawn variants that some fonts map ordinary characters to.
  if ((code >= 0x2e80 && code <= 0x2fdf) || (code >= 0xf900 && code <= 0xfaff)) return character.normalize('NFKC');
  return character.normalize('NFC');
}

const GLOBAL_ODD = /[^\x20-\x7e]/g;

/** A whole text without layout: repaired characters, one space between words, no space at the ends, NFC. */
export function repairText(text: string): string {
  return text.replace(GLOBAL_ODD, repairCharacter).normalize('NFC').replace(/ {2,}/g, ' ').trim();
}

export function isMark(character: string): boolean {
  return /^\p{M}$/u.test(character);
}

/** Chinese and Japanese are written without spaces between words: line ends inside them are joined directly. */
export function isWideScript(character: string | undefined): boolean {
  return character !== undefined && /[\u2E80-\u303F\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]/.test(character);
}
