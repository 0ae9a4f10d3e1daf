// Headers, bodies, quotations and attachments of mail messages.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, Watch } from '../limits.ts';
import { detectKind } from '../magic.ts';
import { readMail } from './readMail.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text.replace(/\n/g, '\r\n'));
const read = (mail: string | Uint8Array) => readMail(typeof mail === 'string' ? encode(mail) : mail, 'test.eml', 'accepted', new Watch({}));

const HEAD = `From: =?UTF-8?B?5byg5LiJ?= <zhang@example.com>
To: Ann Lee <ann@example.com>, b@example.com
Subject: =?utf-8?Q?Gr=C3=B6=C3=9Fe_of_the_deal?=
Date: Fri, 3 May 2024 10:00:00 +0200
Message-ID: <1@example.com>
MIME-Version: 1.0
`;

describe('mail', () => {
  it('reads headers, body and quoted text with its depth', async () => {
    const content = await read(`${HEAD}Content-Type: text/plain; charset=utf-8

We accept.

On Thursday Ann wrote:
> Is 30 days right?
> > We proposed that the period should be extended to sixty days after
> > receipt.
`);
    expect(content.blocks.map((block) => [block.text, block.indent])).toEqual([
      ['Größe of the deal', 0],
      ['From: 张三 <zhang@example.com>', 0],
      ['To: Ann Lee <ann@example.com>, b@example.com', 0],
      ['Date: Fri, 3 May 2024 10:00:00 +0200', 0],
      ['We accept.', 0],
      ['On Thursday Ann wrote:', 0],
      ['Is 30 days right?', 18],
      ['We proposed that the period should be extended to sixty days after receipt.', 36],
    ]);
  });

  it('reads the HTML body where there is one, and quoted-printable in its own charset', async () => {
    const content = await read(`${HEAD}Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain

plain
--b
Content-Type: text/html; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

<p>Gr=F6=DFe<blockquote>quoted</blockquote>
--b--
`);
    expect(content.blocks.slice(4).map((block) => [block.text, block.indent])).toEqual([
      ['Größe', 0],
      ['quoted', 30],
    ]);
  });

  const withFiles = `${HEAD}Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

See attached.
--b
Content-Type: text/plain; name="../../notes.txt"
Content-Disposition: attachment; filename="../../notes.txt"
Content-Transfer-Encoding: base64

MS4gVGVybQ==
--b
Content-Type: message/rfc822

From: x@example.com
Subject: inner
MIME-Version: 1.0

inner text
--b
Content-Type: image/png
Content-ID: <logo>
Content-Disposition: inline

xx
--b--
`;

  it('fault: attachments of a message are lost', async () => {
    const content = await read(withFiles);
    expect(content.attachments?.map((file) => file.name)).toEqual(['notes.txt', 'attachment.eml']);
    expect(new TextDecoder().decode(content.attachments?.[0]?.bytes)).toBe('1. Term');
    const inner = await read(content.attachments?.[1]?.bytes as Uint8Array);
    expect(inner.blocks.map((block) => block.text)).toEqual(['inner', 'From: x@example.com', 'inner text']);
    expect(content.warnings.map((warning) => warning.code)).toEqual(['picture_in_body']);
    expect(content.blocks.map((block) => block.text)).toContain('Attachments: notes.txt, attachment.eml');
  });

  it('is known by its headers, not by its name alone', () => {
    expect(detectKind(encode(`${HEAD}\nbody`), 'x.txt')).toBe('mail');
    expect(detectKind(encode('From: me\nTo: you\n\nA letter.'), 'letter.txt')).toBe('plain');
    expect(detectKind(encode('Received: 12 March 2024\nDate: 10 March 2024\nSubject: Notice of default\n\nDear Sirs,'), 'letter.txt')).toBe('plain');
    expect(detectKind(encode(`Received: from a.example by b.example;\n Tue, 12 Mar 2024 09:00:00 +0000\n${HEAD}\nbody`), 'x.txt')).toBe('mail');
    expect(detectKind(encode('Subject: x\n\nbody'), 'x.eml')).toBe('mail');
  });

  it('refuses a message of Outlook with the way out, and a file without headers', async () => {
    const msg = new Uint8Array(4096);
    msg.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    expect(() => detectKind(msg, 'offer.msg')).toThrow(/save it from Outlook as EML/);
    await expect(read('\nno headers at all')).rejects.toMatchObject({ code: 'corrupt_file' });
  });

  it('stops at its limits', async () => {
    const part = '--b\nContent-Disposition: attachment; filename=a.txt\n\nx\n';
    const mail = `${HEAD}Content-Type: multipart/mixed; boundary=b\n\n${part.repeat(201)}--b--\n`;
    await expect(read(mail)).rejects.toMatchObject({ code: 'too_large' });
    expect(DEFAULT_LIMITS.bytes).toBeGreaterThan(0);
  });
});
