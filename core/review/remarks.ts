// What was left in a file that was to be final: comments of people who worked on it, and changes that nobody accepted or rejected.
import type { Revision } from '../contract/document.ts';
import { placeOf, type Draft, type Rule } from './context.ts';

export const commentsLeft: Rule = ({ document }) =>
  document.comments.flatMap(({ author, text, span, resolved, parentId }): Draft[] => {
    const first = document.blocks[0];
    const place = span ? placeOf(span) : first && { blockId: first.id, start: 0, end: first.text.length };
    // An answer belongs to the comment that it answers.
    if (!place || parentId !== null) return [];
    const said = text.replace(/\s+/g, ' ').trim();
    const shown = said.length > 120 ? `${said.slice(0, 119)}…` : said;
    return [
      {
        rule: 'comment-left',
        severity: resolved ? 'info' : 'warning',
        message: `${author || 'Somebody'} left a comment${resolved ? ', which is resolved' : ''}: “${shown}”`,
        ...place,
      },
    ];
  });

const WORDS: Readonly<Record<Revision['kind'], string>> = {
  insert: 'insertion',
  delete: 'deletion',
  moveFrom: 'move',
  moveTo: 'move',
  format: 'change of format',
};

export const changesLeft: Rule = ({ document }) => {
  const first = document.blocks[0];
  // Both ends of a move are one change; all changes of one paragraph are one finding.
  const told = document.revisions.filter(({ kind }) => kind !== 'moveTo');
  const byBlock = Map.groupBy(told, ({ span }) => span?.blockId ?? first?.id ?? '');
  return [...byBlock].flatMap(([blockId, revisions]): Draft[] => {
    const span = revisions.find((revision) => revision.span?.blockId === blockId)?.span;
    if (blockId === '') return [];
    const authors = [...new Set(revisions.map(({ author }) => author || 'somebody'))].join(', ');
    const kinds = [...Map.groupBy(revisions, ({ kind }) => WORDS[kind])].map(([word, group]) =>
      group.length === 1 ? `1 ${word}` : `${group.length} ${word === 'change of format' ? 'changes of format' : `${word}s`}`,
    );
    return [
      {
        rule: 'tracked-change-left',
        severity: 'warning',
        message: `The file tracks ${kinds.join(' and ')} here, by ${authors}, neither accepted nor rejected.`,
        blockId,
        start: span?.start ?? 0,
        end: span?.end ?? 0,
      },
    ];
  });
};
