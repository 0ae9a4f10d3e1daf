import { Settings } from 'lucide-react';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import popover from '../../ui/Popover.module.css';
import { usePopover } from '../../ui/usePopover.ts';
import { KeptOnDisk } from './KeptOnDisk.tsx';
import css from './SettingsButton.module.css';

export function SettingsButton() {
  const { open, toggle, root, id } = usePopover();
  return (
    <div className={css['settings']} ref={root}>
      <IconButton label="Settings" data-testid="settings" aria-haspopup="dialog" aria-expanded={open} aria-controls={id} onClick={toggle}>
        <Settings />
      </IconButton>
      {open && (
        <div id={id} role="dialog" aria-label="Settings" className={classes(popover['pop'], css['pop'])}>
          <KeptOnDisk />
        </div>
      )}
    </div>
  );
}
