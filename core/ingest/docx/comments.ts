// Comments of Word: text, author, answers and whether they are settled (ISO/IEC 29500-1, 17.13.4; [MS-DOCX] 2.5.1 commentsExtended).
//
// An answer is a comment whose last paragraph is named, in commentsExtended, as the child of another's last paragraph.
import type { Comment } from '../../contract/document.ts';
import { plainText } from './marks.ts';
import { children, readXml, type XmlNode } from './xml.ts';

export type CommentDraft = Omit<Comment, 'span'>;

interface Extension {
  readonly parent: string | undefined;
  readonly done: boolean;
}

export function readComments(comments: Uint8Array | null, extended: Uint8Array | null): CommentDraft[] {
  if (!comments) return [];
  const nodes: XmlNode[] = [];
  readXml(comments, 'comments.xml', null, (node) => {
    if (node.name === 'w:comment') nodes.push(node);
  });
  const extensions = readExtensions(extended);
  const paragraphOf = (node: XmlNode): string => children(node, 'w:p').at(-1)?.attributes['w14:paraId'] ?? '';
  const byParagraph = new Map(nodes.map((node) => [paragraphOf(node), node.attributes['w:id']]));
  byParagraph.delete('');
  return nodes.map((node, index): CommentDraft => {
    const extension = extensions.get(paragraphOf(node));
    return {
      id: node.attributes['w:id'] ?? `c${index}`,
      author: node.attributes['w:author'] ?? '',
      date: node.attributes['w:date'] ?? null,
      text: plainText(node)
        .replace(/[^\S\n]+/g, ' ')
        .trim(),
      parentId: byParagraph.get(extension?.parent ?? '') ?? null,
      resolved: extension?.done ?? false,
    };
  });
}

function readExtensions(bytes: Uint8Array | null): Map<string, Extension> {
  const extensions = new Map<string, Extension>();
  if (!bytes) return extensions;
  readXml(bytes, 'commentsExtended.xml', null, (node) => {
    const id = node.attributes['w15:paraId'];
    if (id !== undefined) extensions.set(id, { parent: node.attributes['w15:paraIdParent'], done: /^(?:1|true|on)$/.test(node.attributes['w15:done'] ?? '') });
  });
  return extensions;
}
