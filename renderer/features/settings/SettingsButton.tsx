import { Settings } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '../../ui/IconButton.tsx';
import { KeptOnDisk } from './KeptOnDisk.tsx';
import css from './SettingsButton.module.css';

export function SettingsButton() {
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
  return (
    <div className={css['settings']} ref={root}>
      <IconButton label="Settings" data-testid="settings" aria-haspopup="dialog" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <Settings />
      </IconButton>
      {open && (
        <div id={id} role="dialog" aria-label="Settings" className={css['pop']}>
          <KeptOnDisk />
        </div>
      )}
    </div>
  );
}
