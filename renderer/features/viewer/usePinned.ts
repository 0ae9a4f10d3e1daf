// After a jump the place jumped to is the current one, even where the page could not scroll far enough; until the reader scrolls.
import { type RefObject, useEffect, useRef } from 'react';

export interface Pinned {
  readonly page: number;
  readonly clauseId: string | null;
}

export function usePinned(pane: RefObject<HTMLElement | null>): RefObject<Pinned | null> {
  const pinned = useRef<Pinned | null>(null);
  useEffect(() => {
    const free = () => {
      pinned.current = null;
    };
    const stop = new AbortController();
    for (const type of ['wheel', 'pointerdown', 'keydown', 'touchstart']) pane.current?.addEventListener(type, free, { passive: true, signal: stop.signal });
    return () => stop.abort();
  }, [pane]);
  return pinned;
}
