import { useEffect, useId, useRef, useState, type RefObject } from 'react';

interface Popover {
  readonly open: boolean;
  readonly toggle: () => void;
  /** Around the button and what it opens: a press inside of it closes nothing. */
  readonly root: RefObject<HTMLDivElement | null>;
  /** Of what is opened. */
  readonly id: string;
}

/** Something that a button opens beside itself; Escape and a press elsewhere close it. */
export function usePopover(): Popover {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return undefined;
    const stop = new AbortController();
    window.addEventListener('pointerdown', (event) => !root.current?.contains(event.target as Node) && setOpen(false), stop);
    window.addEventListener('keydown', (event) => event.key === 'Escape' && setOpen(false), stop);
    return () => stop.abort();
  }, [open]);
  return { open, toggle: () => setOpen(!open), root, id };
}
