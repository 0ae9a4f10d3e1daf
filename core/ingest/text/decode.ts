// Bytes of a text file -> string: UTF-8 by default, UTF-16 by its mark, Windows-1252 or GB 18030 where UTF-8 is broken.
import type { Warning } from '../../contract/document.ts';

export interface Decoded {
  readonly text: string;
  readonly encoding: string;
}

export function decodeText(bytes: Uint8Array): Decoded {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'utf-16le' };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'utf-16be' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    // Not UTF-8 by its own rules, so an old 8-bit encoding.
    const encoding = looksChinese(bytes) ? 'gb18030' : 'windows-1252';
    return { text: new TextDecoder(encoding).decode(bytes), encoding };
  }
}

/** GB 18030 text is pairs of high bytes; accented letters of Western text stand alone among low ones. */
function looksChinese(bytes: Uint8Array): boolean {
  let pairs = 0;
  let single = 0;
  const end = Math.min(bytes.length, 65536);
  for (let at = 0; at < end; at++) {
    if ((bytes[at] as number) < 0x81) continue;
    if ((bytes[at + 1] ?? 0) >= 0xa1) {
      pairs++;
      at++;
    } else single++;
  }
  return pairs > 2 * single && pairs > 4;
}

/** Broken UTF-8 alone does not tell which of the old encodings it was. */
export function encodingWarnings(encoding: string): Warning[] {
  if (encoding !== 'windows-1252' && encoding !== 'gb18030') return [];
  return [{ code: 'encoding_guessed', message: `The file is not UTF-8; it was read as ${encoding}. Check letters with accents.`, page: null }];
}
