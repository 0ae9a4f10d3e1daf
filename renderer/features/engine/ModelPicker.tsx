// The name of the model that reads and, if the user chose one, of the model that writes; opens the list of both.
import { ChevronsUpDown } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { loadModels } from '../../store/engine.ts';
import { useStore } from '../../store/store.ts';
import css from './ModelPicker.module.css';
import { ModelList } from './ModelList.tsx';

export function ModelPicker() {
  const stats = useStore((state) => state.engine.stats);
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return undefined;
    void loadModels();
    const stop = new AbortController();
    window.addEventListener('pointerdown', (event) => !root.current?.contains(event.target as Node) && setOpen(false), stop);
    window.addEventListener('keydown', (event) => event.key === 'Escape' && setOpen(false), stop);
    return () => stop.abort();
  }, [open]);
  const name = stats?.writer ?? stats?.reader ?? 'No model';
  return (
    <div className={css['picker']} ref={root}>
      <button
        type="button"
        className={css['button']}
        data-testid="model-picker"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {name}
        {stats?.writer && stats.reader && <span className={css['second']}>reads with {stats.reader}</span>}
        <ChevronsUpDown aria-hidden="true" />
      </button>
      {open && (
        <div id={id} role="dialog" aria-label="Models" className={css['pop']}>
          <ModelList />
        </div>
      )}
    </div>
  );
}
