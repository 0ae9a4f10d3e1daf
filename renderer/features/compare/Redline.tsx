// A word diff as a redline: deleted struck in red, inserted underlined in blue. Long equal runs are shortened in lists.
import type { DiffPart } from '../../../core/contract/comparison.ts';
import css from './Redline.module.css';

interface Props {
  readonly parts: readonly DiffPart[];
  /** Leaves one side of the text out: `before` shows no insertions, `after` no deletions. */
  readonly side?: 'before' | 'after';
  /** Characters of equal text kept around a difference; all of it when absent. */
  readonly context?: number;
}

function shorten(text: string, context: number | undefined, first: boolean, last: boolean): string {
  if (context === undefined || text.length <= context * 2 + 12) return text;
  const head = first ? '' : text.slice(0, context).replace(/\s\S*$/, '');
  const tail = last ? '' : text.slice(-context).replace(/^\S*\s/, '');
  return `${head}${first ? '… ' : last ? ' …' : ' … '}${tail}`;
}

export function Redline({ parts, side, context }: Props) {
  const shown = parts.filter((part) => part.op === 'equal' || side === undefined || (side === 'before') === (part.op === 'delete'));
  return shown.map((part, at) => {
    if (part.op === 'equal') return <span key={at}>{shorten(part.text, context, at === 0, at === shown.length - 1)}</span>;
    // Space around the words stays outside the line: a struck space reads as a dash.
    const words = part.text.trim();
    const before = part.text.slice(0, part.text.indexOf(words));
    const after = part.text.slice(before.length + words.length);
    const Tag = part.op === 'delete' ? 'del' : 'ins';
    return (
      <span key={at}>
        {before}
        <Tag className={css[part.op]}>{words}</Tag>
        {after}
      </span>
    );
  });
}
