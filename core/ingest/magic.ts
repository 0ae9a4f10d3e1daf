// Kind of a file from its first bytes; the name only decides between kinds of plain text (HTML and mail without their usual beginnings included).
import { CodicilError } from '../contract/errors.ts';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/tiff';
export type FileKind = 'pdf' | 'docx' | 'html' | 'mail' | 'markdown' | 'plain' | ImageType;

const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

const KNOWN: readonly { readonly bytes: readonly number[]; readonly what: string; readonly advice: string }[] = [
  { bytes: [0x7b, 0x5c, 0x72, 0x74, 0x66], what: 'an RTF file', advice: 'save it as DOCX or PDF' },
  { bytes: [0x1f, 0x8b], what: 'a gzip archive', advice: 'unpack it and add the files' },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf], what: 'a 7z archive', advice: 'unpack it and add the files' },
  { bytes: [0x52, 0x61, 0x72, 0x21], what: 'a RAR archive', advice: 'unpack it and add the files' },
];

const IMAGES: readonly { readonly bytes: readonly number[]; readonly type: ImageType }[] = [
  { bytes: [0x89, 0x50, 0x4e, 0x47], type: 'image/png' },
  { bytes: [0xff, 0xd8, 0xff], type: 'image/jpeg' },
  { bytes: [0x49, 0x49, 0x2a, 0x00], type: 'image/tiff' },
  { bytes: [0x4d, 0x4d, 0x00, 0x2a], type: 'image/tiff' },
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

export function unsupported(name: string, what: string, advice: string): CodicilError {
  return new CodicilError(
    'unsupported_format',
    `Expected a PDF, DOCX, HTML, mail (EML), text, Markdown or picture file; "${name}" is ${what}. Please ${advice}.`,
  );
}

export function detectKind(bytes: Uint8Array, name: string): FileKind {
  if (bytes.length === 0) throw new CodicilError('empty_file', `Expected a document; "${name}" has 0 bytes. Check that the download or the copy was complete.`);
  // Before the search for a PDF header: a mail may carry a PDF in its first kilobyte.
  if (startsMail(bytes, name)) return 'mail';
  if (hasPdfHeader(bytes)) return 'pdf';
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06])) return 'docx';
  if (startsWith(bytes, OLE)) throw ole(bytes, name);
  const image = IMAGES.find((entry) => startsWith(bytes, entry.bytes));
  if (image) return image.type;
  const known = KNOWN.find((entry) => startsWith(bytes, entry.bytes));
  if (known) throw unsupported(name, known.what, known.advice);
  if (isUtf16(bytes)) return textKind(name, new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes.subarray(0, 4096)));
  const head = bytes.subarray(0, 4096);
  if (head.includes(0)) throw unsupported(name, 'a binary file of an unknown kind', 'convert it to PDF');
  const start = new TextDecoder('utf-8').decode(head);
  if (start.includes('<pkg:package')) return 'docx';
  if (start.includes('<w:wordDocument')) throw unsupported(name, 'a Word 2003 XML file', 'save it as DOCX');
  return textKind(name, start);
}

/**
 * Header lines that only programs write; a letter that begins "From: ..." as plain text has no Message-ID or MIME-Version. Received is not among them: letters
 * are stamped "Received: 12 March", and a mail that has it has one of these as well.
 */
const MAIL_FIELDS = /^(?:return-path|delivered-to|message-id|mime-version|dkim-signature|x-[\w-]+|arc-[\w-]+|authentication-results):/im;
const FIELD = /^(?:from [^\n]*\n)?[!-9;-~]+:[ \t]?[^\n]*\n/i;

function startsMail(bytes: Uint8Array, name: string): boolean {
  const text = new TextDecoder('windows-1252').decode(bytes.subarray(0, 8192)).replace(/\r\n?/g, '\n').replace(/^\n+/, '');
  if (!FIELD.test(text)) return false;
  return /\.(?:eml|mht|mhtml)$/i.test(name) || (MAIL_FIELDS.test(text.split('\n\n', 1)[0] as string) && /^(?:from|date|subject):/im.test(text));
}

/** Word's own encryption and the old .doc format share one container; the stream name tells them apart. */
function ole(bytes: Uint8Array, name: string): CodicilError {
  if (hasStream(bytes, 'EncryptedPackage'))
    return new CodicilError(
      'encrypted',
      `Expected a DOCX that can be opened; "${name}" is protected by a password of Word. Open it in Word, remove the password and add it again.`,
    );
  if (/\.msg$/i.test(name) || hasStream(bytes, '__properties_version1.0') || hasStream(bytes, '__substg1.0_'))
    return unsupported(name, 'a message of Outlook (.msg)', 'save it from Outlook as EML, or drag it to a mail program that does');
  return unsupported(name, 'a Word 97-2003 file (.doc) or another old Office file', 'save it as DOCX');
}

/** Names of streams stand in UTF-16 at the start of directory entries, which are 128 bytes each ([MS-CFB] 2.6). */
function hasStream(bytes: Uint8Array, start: string): boolean {
  const marker = [...start].flatMap((letter) => [letter.charCodeAt(0), 0]);
  for (let at = 512; at + marker.length < bytes.length; at += 64) if (startsWith(bytes, marker, at)) return true;
  return false;
}

function isUtf16(bytes: Uint8Array): boolean {
  return startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]);
}

function textKind(name: string, head: string): FileKind {
  const start = head.replace(/^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*/, '').toLowerCase();
  // Filings wrap their page into <DOCUMENT> ... <TEXT>.
  if (/^(?:<document>[\s\S]*<text>\s*)?<(?:!doctype html|html|head|body)\b/.test(start) || /\.x?html?$/i.test(name)) return 'html';
  return /\.(md|markdown)$/i.test(name) ? 'markdown' : 'plain';
}
