// The name of the model that reads and, if the user chose one, of the model that writes; opens the list of both.
import { ChevronsUpDown } from 'lucide-react';
import { useEffect } from 'react';
import { loadModels } from '../../store/engine.ts';
import { useStore } from '../../store/store.ts';
import { classes } from '../../ui/classes.ts';
import popover from '../../ui/Popover.module.css';
import { usePopover } from '../../ui/usePopover.ts';
import css from './ModelPicker.module.css';
import { ModelList } from './ModelList.tsx';

export function ModelPicker() {
  const stats = useStore((state) => state.engine.stats);
  const { open, toggle, root, id } = usePopover();
  useEffect(() => {
    if (open) void loadModels();
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
        onClick={toggle}
      >
        {name}
        {stats?.writer && stats.reader && <span className={css['second']}>reads with {stats.reader}</span>}
        <ChevronsUpDown aria-hidden="true" />
      </button>
      {open && (
        <div id={id} role="dialog" aria-label="Models" className={classes(popover['pop'], css['pop'])}>
          <ModelList />
        </div>
      )}
    </div>
  );
}
