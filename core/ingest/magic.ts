// Kind of a file from its first bytes; the name only decides between kinds of plain text.
import { CodicilError } from '../contract/errors.ts';

export type FileKind = 'pdf' | 'docx' | 'markdown' | 'plain';

const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

const KNOWN: readonly { readonly bytes: readonly number[]; readonly what: string; readonly advice: string }[] = [
  { bytes: [0x7b, 0x5c, 0x72, 0x74, 0x66], what: 'an RTF file', advice: 'save it as DOCX or PDF' },
  { bytes: [0x89, 0x50, 0x4e, 0x47], what: 'a PNG image', advice: 'put it into a PDF' },
  { bytes: [0xff, 0xd8, 0xff], what: 'a JPEG image', advice: 'put it into a PDF' },
  { bytes: [0x49, 0x49, 0x2a, 0x00], what: 'a TIFF image', advice: 'put it into a PDF' },
  { bytes: [0x4d, 0x4d, 0x00, 0x2a], what: 'a TIFF image', advice: 'put it into a PDF' },
  { bytes: [0x1f, 0x8b], what: 'a gzip archive', advice: 'unpack it and add the files' },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf], what: 'a 7z archive', advice: 'unpack it and add the files' },
  { bytes: [0x52, 0x61, 0x72, 0x21], what: 'a RAR archive', advice: 'unpack it and add the files' },
];

function startsWith(bytes: Uint8Array, head: readonly number[], at = 0): boolean {
  return head.every((value, index) => bytes[at + index] === value);
}

/** PDF readers accept the header anywhere in the first 1,024 bytes (ISO 32000-1, annex H.3.4.1). */
function hasPdfHeader(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, 1024) - 4;
  for (let at = 0; at < end; at++) if (startsWith(bytes, [0x25, 0x50, 0x44, 0x46, 0x2d], at)) return true;
  return false;
}

function unsupported(name: string, what: string, advice: string): CodicilError {
  return new CodicilError('unsupported_format', `Expected a PDF, DOCX, text or Markdown file; "${name}" is ${what}. Please ${advice}.`);
}

export function detectKind(bytes: Uint8Array, name: string): FileKind {
  if (bytes.length === 0) throw new CodicilError('empty_file', `Expected a document; "${name}" has 0 bytes. Check that the download or the copy was complete.`);
  if (hasPdfHeader(bytes)) return 'pdf';
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06])) return 'docx';
  if (startsWith(bytes, OLE)) throw ole(bytes, name);
  const known = KNOWN.find((entry) => startsWith(bytes, entry.bytes));
  if (known) throw unsupported(name, known.what, known.advice);
  if (isUtf16(bytes)) return textKind(name);
  const head = bytes.subarray(0, 4096);
  if (head.includes(0)) throw unsupported(name, 'a binary file of an unknown kind', 'convert it to PDF');
  const start = new TextDecoder('utf-8')
    .decode(head)
    .replace(/^\uFEFF?\s*/, '')
    .toLowerCase();
  if (/^(<!doctype html|<html|<head|<body)/.test(start)) throw unsupported(name, 'an HTML page', 'print it to PDF or save it as text');
  if (/\.html?$/i.test(name)) throw unsupported(name, 'an HTML page by its name', 'print it to PDF or save it as text');
  return textKind(name);
}

/** Word's own encryption and the old .doc format share one container; the stream name tells them apart. */
function ole(bytes: Uint8Array, name: string): CodicilError {
  const marker = [...'EncryptedPackage'].flatMap((letter) => [letter.charCodeAt(0), 0]);
  for (let at = 512; at + marker.length < bytes.length; at += 64)
    if (startsWith(bytes, marker, at))
      return new CodicilError(
        'encrypted',
        `Expected a DOCX that can be opened; "${name}" is protected by a password of Word. Open it in Word, remove the password and add it again.`,
      );
  return unsupported(name, 'a Word 97-2003 file (.doc) or another old Office file', 'save it as DOCX');
}

function isUtf16(bytes: Uint8Array): boolean {
  return startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]);
}

function textKind(name: string): FileKind {
  return /\.(md|markdown)$/i.test(name) ? 'markdown' : 'plain';
}
