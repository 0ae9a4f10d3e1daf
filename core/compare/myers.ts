// Shortest edit script between two arrays of numbers, in linear space.
// Method: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), section 4b (middle snake, divide and conquer).

/** before[a0, a1) was replaced by after[b0, b1); either may be empty, never both. */
export interface Hunk {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

interface Search {
  readonly a: ArrayLike<number>;
  readonly b: ArrayLike<number>;
  /** Furthest x by diagonal, forward and backward; offset so that negative diagonals fit. */
  readonly forward: Int32Array;
  readonly backward: Int32Array;
  readonly offset: number;
  readonly out: Hunk[];
}

/** Maximal differing runs of `a` and `b`, in order; empty if they are equal. */
export function diffNumbers(a: ArrayLike<number>, b: ArrayLike<number>): Hunk[] {
  const offset = a.length + b.length + 2;
  const size = 2 * offset + 1;
  const search: Search = { a, b, forward: new Int32Array(size), backward: new Int32Array(size), offset, out: [] };
  divide(search, 0, a.length, 0, b.length);
  return joinTouching(search.out);
}

function divide(search: Search, aFrom: number, aTo: number, bFrom: number, bTo: number): void {
  const { a, b, out } = search;
  let [a0, a1, b0, b1] = [aFrom, aTo, bFrom, bTo];
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) {
    a0++;
    b0++;
  }
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) {
    a1--;
    b1--;
  }
  if (a0 === a1 && b0 === b1) return;
  if (a0 === a1 || b0 === b1) {
    out.push({ a0, a1, b0, b1 });
    return;
  }
  const middle = middleSnake(search, a0, a1, b0, b1);
  // A middle at a corner would not make the problem smaller: the box has nothing in common worth keeping.
  if (middle === null || (middle.x === a0 && middle.y === b0) || (middle.x === a1 && middle.y === b1)) {
    out.push({ a0, a1, b0, b1 });
    return;
  }
  divide(search, a0, middle.x, b0, middle.y);
  divide(search, middle.x, a1, middle.y, b1);
}

/** A point on a shortest path through the box, found by searching from both ends at once. */
function middleSnake(search: Search, a0: number, a1: number, b0: number, b1: number): { x: number; y: number } | null {
  const { a, b, forward, backward, offset } = search;
  const n = a1 - a0;
  const m = b1 - b0;
  const delta = n - m;
  const odd = (delta & 1) !== 0;
  forward[offset + 1] = 0;
  backward[offset + 1] = 0;
  const most = Math.ceil((n + m) / 2);
  for (let d = 0; d <= most; d++) {
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && forward[offset + k - 1]! < forward[offset + k + 1]!) ? forward[offset + k + 1]! : forward[offset + k - 1]! + 1;
      while (x < n && x - k < m && a[a0 + x] === b[b0 + x - k]) x++;
      forward[offset + k] = x;
      const back = delta - k;
      if (odd && back >= -(d - 1) && back <= d - 1 && x + backward[offset + back]! >= n) return inBox(a0, b0, x, x - k, n, m);
    }
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && backward[offset + k - 1]! < backward[offset + k + 1]!) ? backward[offset + k + 1]! : backward[offset + k - 1]! + 1;
      while (x < n && x - k < m && a[a1 - 1 - x] === b[b1 - 1 - (x - k)]) x++;
      backward[offset + k] = x;
      const front = delta - k;
      if (!odd && front >= -d && front <= d && x + forward[offset + front]! >= n) return inBox(a0, b0, n - x, m - (x - k), n, m);
    }
  }
  return null;
}

function inBox(a0: number, b0: number, x: number, y: number, n: number, m: number): { x: number; y: number } | null {
  return x >= 0 && y >= 0 && x <= n && y <= m ? { x: a0 + x, y: b0 + y } : null;
}

/** Hunks that touch on both sides are one edit. */
function joinTouching(hunks: readonly Hunk[]): Hunk[] {
  const joined: Hunk[] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1);
    if (last !== undefined && last.a1 === hunk.a0 && last.b1 === hunk.b0) joined[joined.length - 1] = { a0: last.a0, a1: hunk.a1, b0: last.b0, b1: hunk.b1 };
    else joined.push(hunk);
  }
  return joined;
}
