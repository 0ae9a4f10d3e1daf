// What a tagged PDF says about its text: each element of the structure tree that holds text on a page, folded to the few roles that matter here.
//
// Owns: the roles of ISO 32000 (mupdf's numbers for them) and the test whether a document's tags can be believed.
// Leaves their use to blocks.ts and furniture.ts. Rule: tags are evidence, never the only reason for a decision; many writers tag everything as P.

export type TagRole = 'heading' | 'paragraph' | 'listItem' | 'label' | 'cell' | 'headerCell' | 'note' | 'caption' | 'contents' | 'figure' | 'artifact';

export interface Tag {
  readonly role: TagRole;
  /** Depth of a heading from 1; null for a heading without one and for every other role. */
  readonly level: number | null;
  /** The element, the same number for all of its text on one page. */
  readonly element: number;
}

/** mupdf's `fz_structure` (include/mupdf/fitz/device.h), as far as it says more than the element around it. */
const ROLES = new Map<number, readonly [TagRole, number | null]>([
  [6, ['caption', null]],
  [7, ['contents', null]],
  [8, ['contents', null]],
  [14, ['heading', 1]], // Title
  [15, ['note', null]], // FENote
  [17, ['paragraph', null]],
  [18, ['heading', null]],
  [19, ['heading', 1]],
  [20, ['heading', 2]],
  [21, ['heading', 3]],
  [22, ['heading', 4]],
  [23, ['heading', 5]],
  [24, ['heading', 6]],
  [26, ['listItem', null]],
  [27, ['label', null]],
  [28, ['listItem', null]],
  [31, ['headerCell', null]],
  [32, ['cell', null]],
  [38, ['note', null]],
  [53, ['figure', null]],
  [56, ['artifact', null]],
]);
const LIST_BODY = 28;
const ARTIFACT = 56;
/** Roles that a paragraph inside them does not change: the P of a table cell is still a cell. */
const HOLDING: ReadonlySet<TagRole> = new Set(['listItem', 'cell', 'headerCell', 'note', 'caption', 'contents', 'figure', 'heading', 'artifact']);

/** Tag of the text in an element of mupdf's kind `standard` inside `outer`. */
export function roleOf(standard: number, element: number, outer: Tag | null): Tag | null {
  const found = ROLES.get(standard);
  if (found === undefined) return outer;
  const [role, level] = found;
  if (standard !== ARTIFACT && outer !== null && HOLDING.has(outer.role) && (role === 'paragraph' || standard === LIST_BODY)) return outer;
  return { role, level, element };
}

/**
 * Real content of a tagged page is tagged (ISO 32000-2, 14.8.2.2); where most of it is, the rest is mostly artifacts: heads, feet, line numbers. It is a
 * suspicion, because the end of a paragraph on its second page has no tag here either.
 * Limit: mupdf leaves an element only at the next one, so that an artifact drawn behind tagged text counts to that text's element.
 */
const MOSTLY = 0.6;
const ARTIFACT_TAG: Tag = { role: 'artifact', level: null, element: 0 };

/** Whether the text is only taken for an artifact because it has no tag. */
export const isUntagged = (tag: Tag | null): boolean => tag === ARTIFACT_TAG;

export function markArtifacts<S extends { readonly tag: Tag | null; readonly glyphs: readonly unknown[] }>(segments: readonly S[]): readonly S[] {
  let all = 0;
  let tagged = 0;
  for (const { tag, glyphs } of segments) {
    all += glyphs.length;
    if (tag !== null) tagged += glyphs.length;
  }
  if (tagged === all || tagged < MOSTLY * all) return segments;
  return segments.map((segment) => (segment.tag === null ? { ...segment, tag: ARTIFACT_TAG } : segment));
}
