// One block of a flow document, with the parts of its text that marks cover.
import { memo, useMemo } from 'react';
import type { Block, Document } from '../../../core/contract/document.ts';
import type { Mark } from '../../store/state.ts';
import { useStore } from '../../store/store.ts';
import css from './FlowBlock.module.css';

interface Piece {
  readonly text: string;
  readonly mark: Mark | null;
  /** True for the first piece of its mark in this block. */
  readonly first: boolean;
}

/** Cuts the text at the borders of marks; where marks overlap, the active one wins, then the earlier. */
function pieces(block: Block, marks: readonly Mark[], documentId: string, active: string | null): readonly Piece[] {
  const spans = marks.flatMap((mark) =>
    mark.spans.filter((span) => span.documentId === documentId && span.blockId === block.id).map((span) => ({ mark, span })),
  );
  if (spans.length === 0) return [{ text: block.text, mark: null, first: false }];
  const ordered = spans.sort((a, b) => Number(b.mark.id === active) - Number(a.mark.id === active));
  const cuts = [...new Set([0, block.text.length, ...spans.flatMap(({ span }) => [span.start, span.end])])].sort((a, b) => a - b);
  const seen = new Set<string>();
  return cuts.slice(0, -1).map((start, at) => {
    const mark = ordered.find(({ span }) => span.start <= start && start < span.end)?.mark ?? null;
    const first = mark !== null && !seen.has(mark.id);
    if (mark) seen.add(mark.id);
    return { text: block.text.slice(start, cuts[at + 1]), mark, first };
  });
}

/** Why a reader of the file itself does not see these words. */
const HIDING_WORDS: Readonly<Record<NonNullable<Block['hidden']>, string>> = {
  invisible: 'drawn without ink',
  white: 'in the colour of the page',
  tiny: 'too small to read',
  offPage: 'outside the page',
  covered: 'under a cover',
  vanish: 'set as hidden',
};

const NONE: readonly Mark[] = [];

export const FlowBlock = memo(function FlowBlock({ document, block }: { readonly document: Document; readonly block: Block }) {
  const marks = useStore((state) => (state.viewer.marks.length === 0 ? NONE : state.viewer.marks));
  const active = useStore((state) => state.viewer.activeMark);
  const parts = useMemo(() => pieces(block, marks, document.id, active), [block, marks, document.id, active]);
  const Tag = block.kind === 'heading' ? 'h3' : 'p';
  const style = {
    marginLeft: block.kind === 'listItem' || block.kind === 'paragraph' ? `${Math.min(7, block.indent / 18)}em` : undefined,
    fontWeight: block.font.bold && block.kind !== 'heading' ? 600 : undefined,
    fontStyle: block.font.italic ? 'italic' : undefined,
  };
  return (
    <Tag
      className={css[block.kind] ?? css['paragraph']}
      data-level={Math.min(4, block.level ?? 4)}
      data-block={block.id}
      data-hidden={block.hidden ?? undefined}
      style={style}
    >
      {block.hidden !== null && <span className={css['hidden']}>Hidden text: {HIDING_WORDS[block.hidden]}</span>}
      {parts.map((part, at) =>
        part.mark ? (
          <mark key={at} className={css[`mark-${part.mark.tone}`]} data-active={part.mark.id === active} data-testid="highlight" data-mark={part.mark.id}>
            {part.first && part.mark.n !== undefined && <span className={css['number']}>{part.mark.n}</span>}
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </Tag>
  );
});
