// Words and glyphs that reports share. A glyph always stands beside a colour, so that a report reads the same without colours.
import type { Change, ChangeGroup } from '../contract/comparison.ts';

export const KIND_LABELS: Record<Change['kind'], { readonly glyph: string; readonly label: string; readonly plural: string }> = {
  inserted: { glyph: '+', label: 'Inserted', plural: 'inserted' },
  deleted: { glyph: '−', label: 'Deleted', plural: 'deleted' },
  changed: { glyph: '±', label: 'Changed', plural: 'changed' },
  moved: { glyph: '⇄', label: 'Moved', plural: 'moved' },
  movedChanged: { glyph: '⇄±', label: 'Moved and changed', plural: 'moved and changed' },
  renumbered: { glyph: '#', label: 'Renumbered', plural: 'renumbered' },
  split: { glyph: '⑂', label: 'Split', plural: 'split' },
  merged: { glyph: '⊃', label: 'Merged', plural: 'merged' },
};

export const GROUP_LABELS: Record<ChangeGroup['kind'], { readonly glyph: string; readonly label: string }> = {
  rename: { glyph: '≡', label: 'Renamed' },
  references: { glyph: '§', label: 'References follow' },
  renumbering: { glyph: '#', label: 'Renumbered' },
};

export const TOPIC_LABELS: Record<Change['topics'][number], string> = {
  amount: 'amount',
  date: 'date',
  period: 'period',
  party: 'party',
  definedTerm: 'defined term',
  modal: 'duty or permission',
  negation: 'negation or exception',
  crossReference: 'cross-reference',
  law: 'law or court',
  wording: 'wording',
};

/** "12.3 Confidentiality", "Exhibit A", "Unnumbered text". */
export function placeLabel(side: Change['before']): string {
  if (side === null) return '';
  return [side.path, side.heading].filter((part) => part !== '').join(' ') || 'Unnumbered text';
}

/** "8.1 Fees", or "7.1 Voting → 5.3 Drag along" where the two places differ. */
export function changePlace(change: Change): string {
  const [before, after] = [placeLabel(change.before), placeLabel(change.after)];
  if (before === '' || after === '' || before === after) return after || before;
  return `${before} → ${after}`;
}
