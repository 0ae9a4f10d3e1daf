// A mail message (EML, RFC 5322 with MIME) -> its headers and body as blocks, and its attachments as files.
//
// Owns: which headers are shown, which body is read (the HTML one where there is one, as mail programs show it), quoted text and its depth,
// what counts as an attachment. Leaves MIME to postal-mime and what is in the attachments to whoever reads them.
// Rule: nothing of the message is dropped: pictures inside the body are named in a warning, other parts are attachments.
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { View, Warning } from '../../contract/document.ts';
import { CodicilError } from '../../contract/errors.ts';
import { within, type Watch } from '../limits.ts';
import type { RawAttachment, RawContent } from '../raw.ts';
import { contentOf, FLOW_PAGE, FlowBuilder } from './flow.ts';
import { withoutMarks } from './marks.ts';
import { readPlain } from './paragraphs.ts';
import { addHtml } from './readHtml.ts';

/** A message with more files is an archive; each file would be a document of its own. */
const MOST_ATTACHMENTS = 200;
/** Indent of one level of quotation, points. */
const QUOTE_INDENT = 18;

export async function readMail(bytes: Uint8Array, name: string, view: View, watch: Watch): Promise<RawContent> {
  const mail = await parseMail(bytes, name);
  const flow = new FlowBuilder();
  addHeaders(mail, flow);
  watch.check();
  if (mail.html !== undefined && mail.html.trim() !== '') addHtml(mail.html, flow, view, watch, 0);
  else addText(mail.text ?? '', flow, watch);
  within(flow.blocks.length, watch.limits.blocks, 'paragraphs');
  const files = mail.attachments.filter((part) => !isPictureOfBody(part));
  within(files.length, MOST_ATTACHMENTS, 'attachments');
  const pictures = mail.attachments.length - files.length;
  return { pages: [FLOW_PAGE], ...contentOf(flow), attachments: files.map(fileOf), warnings: [...warningsOf(pictures), ...flow.warnings] };
}

async function parseMail(bytes: Uint8Array, name: string): Promise<Email> {
  let mail: Email;
  try {
    // A forwarded message is a document of its own, like any other attachment.
    mail = await PostalMime.parse(bytes, { forceRfc822Attachments: true, attachmentEncoding: 'arraybuffer' });
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CodicilError(
      'corrupt_file',
      `Expected a mail message; "${name}" breaks the rules of one (${reason}). Save it again from the mail program as EML.`,
    );
  }
  if (mail.headers.length === 0)
    throw new CodicilError('corrupt_file', `Expected a mail message; "${name}" has no headers. Save it again from the mail program as EML.`);
  return mail;
}

function addHeaders(mail: Email, flow: FlowBuilder): void {
  if (mail.subject) flow.add({ source: withoutMarks(mail.subject), level: 1 });
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['From', addressText(mail.from ? [mail.from] : [])],
    ['To', addressText(mail.to)],
    ['Cc', addressText(mail.cc)],
    ['Bcc', addressText(mail.bcc)],
    // As it was sent, with the sender's own time zone.
    ['Date', mail.headers.find((header) => header.key === 'date')?.value],
    [
      'Attachments',
      mail.attachments
        .filter((part) => !isPictureOfBody(part))
        .map(nameOf)
        .join(', '),
    ],
  ];
  for (const [title, value] of lines) if (value) flow.add({ source: withoutMarks(`${title}: ${value}`) });
}

function addressText(addresses: readonly Address[] | undefined): string {
  const one = (address: Address): string => {
    if (address.group) return `${address.name}: ${addressText(address.group)}`;
    return address.name && address.name !== address.address ? `${address.name} <${address.address}>` : address.address;
  };
  return (addresses ?? []).map(one).join(', ');
}

/** Plain text by its depth of quotation: "> > text" stands two levels in, without its signs. */
function addText(text: string, flow: FlowBuilder, watch: Watch): void {
  let depth = 0;
  let lines: string[] = [];
  const flush = (): void => {
    watch.check();
    for (const paragraph of readPlain(withoutMarks(lines.join('\n')), isWrapped(lines)))
      flow.add({ source: paragraph.source, indent: 6 * paragraph.indent + QUOTE_INDENT * depth });
    lines = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const signs = /^(?:>\s?)+/.exec(line)?.[0] ?? '';
    const found = signs.split('>').length - 1;
    if (found !== depth) flush();
    depth = found;
    lines.push(line.slice(signs.length));
  }
  flush();
}

/** Mail programs break lines at 72 to 78 characters; a quotation has too few lines to tell by its blank ones. Short lines are greetings and addresses. */
function isWrapped(lines: readonly string[]): boolean {
  const lengths = lines.map((line) => line.length);
  return lengths.every((length) => length <= 100) && lengths.some((length) => length > 60);
}

/** A logo or a pasted picture: shown inside the body by its Content-ID, or inline without a name. */
function isPictureOfBody(part: Attachment): boolean {
  if (!part.mimeType.startsWith('image/')) return false;
  return part.related === true || (part.disposition !== 'attachment' && (part.contentId !== undefined || part.filename === null));
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'message/rfc822': '.eml',
  'application/pdf': '.pdf',
  'text/html': '.html',
  'text/plain': '.txt',
  'text/calendar': '.ics',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/tiff': '.tif',
};

/** A name is only ever shown and looked at for its ending; paths in it are cut off all the same. */
function nameOf(part: Attachment): string {
  const given = part.filename?.replace(/^.*[/\\]/, '').trim() ?? '';
  const extension = EXTENSIONS[part.mimeType] ?? '';
  if (given === '') return `attachment${extension}`;
  return part.mimeType === 'message/rfc822' && !/\.eml$/i.test(given) ? `${given}.eml` : given;
}

function fileOf(part: Attachment): RawAttachment {
  const { content } = part;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { name: nameOf(part), bytes };
}

function warningsOf(pictures: number): Warning[] {
  if (pictures === 0) return [];
  const what = pictures === 1 ? 'A picture stands' : `${pictures} pictures stand`;
  return [
    { code: 'picture_in_body', message: `${what} inside the message's body; what ${pictures === 1 ? 'it shows' : 'they show'} is not read.`, page: null },
  ];
}
