// Scroll position and size of a pane, read once per frame.
import { type RefObject, useEffect, useState } from 'react';

export interface ScrollState {
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function useScroll(pane: RefObject<HTMLElement | null>): ScrollState {
  const [state, setState] = useState<ScrollState>({ top: 0, width: 0, height: 0 });
  useEffect(() => {
    const element = pane.current;
    if (!element) return undefined;
    let frame = 0;
    const take = () => {
      frame = 0;
      setState({ top: element.scrollTop, width: element.clientWidth, height: element.clientHeight });
    };
    const ask = () => {
      frame ||= requestAnimationFrame(take);
    };
    const sizes = new ResizeObserver(ask);
    sizes.observe(element);
    element.addEventListener('scroll', ask, { passive: true });
    take();
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      element.removeEventListener('scroll', ask);
    };
  }, [pane]);
  return state;
}
