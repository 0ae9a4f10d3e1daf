// Paragraphs that left one place and came to another, unchanged or edited on the way.
//
// Owns: which deletion and which insertion are one move. Leaves the marks to blocks.ts.
// Rule: a move needs words enough to be no coincidence; a moved paragraph that was edited has to stay the same paragraph for a reader.
// Limit: paragraphs with pictures, notes or fields are told as deleted and inserted.
import { likeness, type Entry } from './align.ts';
import type { BlockUnit } from './blocks.ts';
import { OBJECT } from './leaves.ts';

export interface Move {
  readonly name: string;
  readonly before: BlockUnit;
  readonly after: BlockUnit;
}

/** Fewer characters than this move unseen: "Date:" occurs everywhere. */
const LEAST_MOVED = 20;
/** Words of an edited paragraph below which likeness says little. */
const LEAST_WORDS = 8;
/** Share of common words from which an edited paragraph is the same one; a pair in place needs 0.4, but place is evidence too. */
const LEAST_ALIKE = 0.6;
/** Candidates by shared rare words that are compared in full. */
const MOST_CANDIDATES = 8;

export function movesIn(entries: readonly Entry<BlockUnit>[]): Map<BlockUnit, Move> {
  const gone = entries.flatMap(({ before, after }) => (before && !after && movable(before) ? [before] : []));
  const come = entries.flatMap(({ before, after }) => (after && !before && movable(after) ? [after] : []));
  const moved = new Map<BlockUnit, Move>();
  const tell = (before: BlockUnit, after: BlockUnit): void => {
    const move = { name: `move${moved.size / 2 + 1}`, before, after };
    moved.set(before, move).set(after, move);
  };
  const byKey = Map.groupBy(gone, (unit) => unit.key);
  for (const after of come) {
    const before = byKey.get(after.key)?.shift();
    if (before) tell(before, after);
  }
  const left = gone.filter((unit) => !moved.has(unit) && unit.size >= LEAST_WORDS);
  const places = Map.groupBy(
    left.flatMap((unit) => [...unit.words.keys()].map((word) => ({ word, unit }))),
    ({ word }) => word,
  );
  for (const after of come) {
    if (moved.has(after) || after.size < LEAST_WORDS) continue;
    const before = nearest(after, places, moved);
    if (before) tell(before, after);
  }
  return moved;
}

function movable({ paragraph }: BlockUnit): boolean {
  return (
    paragraph !== null && paragraph.text.length >= LEAST_MOVED && !paragraph.text.includes(OBJECT) && !paragraph.leaves.some((leaf) => leaf.kind === 'control')
  );
}

type Places = ReadonlyMap<number, readonly { readonly unit: BlockUnit }[]>;

/** The most alike of those that share the rarest words: near linear, where comparing all with all is not. */
function nearest(after: BlockUnit, places: Places, moved: ReadonlyMap<BlockUnit, Move>): BlockUnit | null {
  const rare = [...after.words.keys()]
    .map((word) => places.get(word) ?? [])
    .filter((list) => list.length > 0)
    .sort((a, b) => a.length - b.length)
    .slice(0, MOST_CANDIDATES);
  let best: BlockUnit | null = null;
  let most = LEAST_ALIKE;
  for (const unit of new Set(rare.flatMap((list) => list.slice(0, MOST_CANDIDATES).map((place) => place.unit)))) {
    const share = moved.has(unit) ? 0 : likeness(unit, after);
    if (share > most) [best, most] = [unit, share];
  }
  return best;
}
