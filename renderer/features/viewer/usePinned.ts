// After a jump the place jumped to is the current one, even where the page could not scroll far enough; until the reader scrolls.
import { type RefObject, useEffect, useMemo, useRef } from 'react';

export interface Pinned {
  readonly page: number;
  readonly clauseId: string | null;
}
export interface Pin {
  get(): Pinned | null;
  set(place: Pinned | null): void;
}

export function usePinned(pane: RefObject<HTMLElement | null>): Pin {
  const pinned = useRef<Pinned | null>(null);
  useEffect(() => {
    const free = () => {
      pinned.current = null;
    };
    const stop = new AbortController();
    for (const type of ['wheel', 'pointerdown', 'keydown', 'touchstart']) pane.current?.addEventListener(type, free, { passive: true, signal: stop.signal });
    return () => stop.abort();
  }, [pane]);
  return useMemo(
    () => ({
      get: () => pinned.current,
      set: (place) => {
        pinned.current = place;
      },
    }),
    [],
  );
}
