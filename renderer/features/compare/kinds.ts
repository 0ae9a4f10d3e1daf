// The kinds of change as a person sees them: word, glyph, and the legal colour that never stands alone.
import { ArrowLeftRight, ArrowUpDown, Hash, Link, Merge, Minus, Pencil, Plus, Replace, Split, type LucideIcon } from 'lucide-react';
import type { Change, ChangeGroup } from '../../../core/contract/comparison.ts';

export interface KindLook {
  readonly word: string;
  readonly Icon: LucideIcon;
  /** Name of the colour in Kind.module.css. */
  readonly tone: 'inserted' | 'deleted' | 'moved' | 'changed';
}

export const KINDS: Readonly<Record<Change['kind'], KindLook>> = {
  inserted: { word: 'Inserted', Icon: Plus, tone: 'inserted' },
  deleted: { word: 'Deleted', Icon: Minus, tone: 'deleted' },
  changed: { word: 'Changed', Icon: Pencil, tone: 'changed' },
  moved: { word: 'Moved', Icon: ArrowUpDown, tone: 'moved' },
  movedChanged: { word: 'Moved and changed', Icon: ArrowLeftRight, tone: 'moved' },
  renumbered: { word: 'Renumbered', Icon: Hash, tone: 'changed' },
  split: { word: 'Split', Icon: Split, tone: 'changed' },
  merged: { word: 'Merged', Icon: Merge, tone: 'changed' },
};

export const GROUPS: Readonly<Record<ChangeGroup['kind'], { readonly word: string; readonly Icon: LucideIcon }>> = {
  rename: { word: 'Renamed', Icon: Replace },
  references: { word: 'References follow', Icon: Link },
  renumbering: { word: 'Renumbered', Icon: Hash },
};

export const TOPICS: Readonly<Record<Change['topics'][number], string>> = {
  amount: 'Amount',
  date: 'Date',
  period: 'Period',
  party: 'Party',
  definedTerm: 'Defined term',
  modal: 'May / shall',
  negation: 'Negation',
  crossReference: 'Reference',
  law: 'Law',
  wording: 'Wording',
};
