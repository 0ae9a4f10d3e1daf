// How far a page's characters can be believed, without a dictionary: unmapped and control characters, scripts mixed inside words, unlikely letters.
//
// The letter measure is the mean log-likelihood of Latin letters, case and accents folded. Measured on contracts, laws and papers in seven languages it
// lies at -2.75 to -3.0; the same texts with every glyph shifted lie below -3.3. Other scripts are judged by the first three signs only.

/** Per mille of each letter a..z, averaged over English, German, French and Spanish prose. */
const LETTER_WEIGHTS = [80, 15, 32, 43, 135, 17, 17, 36, 73, 4, 9, 45, 27, 75, 63, 25, 6, 66, 68, 75, 37, 12, 13, 4, 12, 5];
const LETTER_LOGS = LETTER_WEIGHTS.map((weight) => Math.log(weight / LETTER_WEIGHTS.reduce((sum, other) => sum + other, 0)));
/** Fewer letters than this say nothing: names, codes and short headings have any distribution. */
const LEAST_LETTERS = 60;
/** Below it letters are no prose of a language written in Latin letters. */
const UNLIKELY = -3.2;

const LATIN = 1;
const ASCII_SCRIPT = Uint8Array.from({ length: 128 }, (_none, code) => (/[A-Za-z]/.test(String.fromCharCode(code)) ? LATIN : 0));

export interface Plausibility {
  /** Characters other than blanks. */
  readonly characters: number;
  /** Share of characters without meaning: U+FFFD, control, unassigned and private codes. */
  readonly meaningless: number;
  /** Share of neighbouring letters that belong to different scripts. */
  readonly mixed: number;
  /** Mean log-likelihood of the Latin letters; null where there are too few. */
  readonly letters: number | null;
}

export function judgeText(text: string): Plausibility {
  const judge = new Judge();
  for (const character of text) judge.take(character.codePointAt(0) ?? 0, character);
  return judge.verdict();
}

/** The same for text that comes glyph by glyph: on 3,000 characters a page no string is built for it. */
export class Judge {
  private characters = 0;
  private meaningless = 0;
  private pairs = 0;
  private mixed = 0;
  private last = 0;
  private latin = 0;
  private logs = 0;

  take(code: number, character: string): void {
    if (code === 0x20 || code === 0xa0 || code === 0x0a) {
      this.last = 0;
      return;
    }
    this.characters++;
    if (code > 0x20 && code < 0x7f) return this.letter(code, ASCII_SCRIPT[code] ?? 0, code);
    if (isMeaningless(code)) this.meaningless++;
    this.letter(code, scriptOf(code, character), code < 0x250 ? (character.normalize('NFD').codePointAt(0) ?? 0) : code);
  }

  private letter(code: number, script: number, base: number): void {
    if (script !== 0 && this.last !== 0) {
      this.pairs++;
      if (script !== this.last) this.mixed++;
    }
    this.last = script;
    if (script !== LATIN || code > 0x24f) return;
    const log = LETTER_LOGS[(base | 0x20) - 0x61];
    if (log === undefined) return;
    this.latin++;
    this.logs += log;
  }

  verdict(): Plausibility {
    return {
      characters: this.characters,
      meaningless: this.characters === 0 ? 0 : this.meaningless / this.characters,
      mixed: this.pairs < 8 ? 0 : this.mixed / this.pairs,
      letters: this.latin < LEAST_LETTERS ? null : this.logs / this.latin,
    };
  }
}

/** From 0, nothing speaks against the text, upwards; above 0.1 a second opinion is worth its time. */
export function doubtOf(text: Plausibility): number {
  return text.meaningless + text.mixed + (text.letters === null ? 0 : Math.max(0, UNLIKELY - text.letters));
}

/** U+F000..U+F0FF is how symbol fonts (bullets, ticks) are mapped: no text, but no fault either. */
function isMeaningless(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xfffd || (code & 0xfffe) === 0xfffe) return true;
  return (code >= 0xe000 && code < 0xf000) || (code > 0xf0ff && code < 0xf900) || code >= 0xf0000;
}

/** 0 for what is no letter; letters of one number may stand in one word. */
function scriptOf(code: number, character: string): number {
  if (!/^\p{L}$/u.test(character)) return 0;
  if (code < 0x250 || (code >= 0x1e00 && code < 0x1f00) || (code >= 0xfb00 && code < 0xfb07)) return LATIN;
  // Chinese, Japanese and Korean share their words; full-width letters belong to them.
  if (code >= 0x2e80 && code < 0xa4d0) return 2;
  if ((code >= 0xac00 && code < 0xd7b0) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xff00 && code < 0xfff0) || code >= 0x20000) return 2;
  // Presentation forms belong to Hebrew and Arabic, Greek extended to Greek; elsewhere a block of 256 is a script.
  if ((code >= 0x590 && code < 0x780) || (code >= 0xfb1d && code < 0xff00)) return 3;
  if (code >= 0x1f00 && code < 0x2000) return 3 + (0x370 >> 8);
  return 3 + (code >> 8);
}
