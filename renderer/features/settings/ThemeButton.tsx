import { Monitor, Moon, Sun } from 'lucide-react';
import { nextTheme } from '../../store/layout.ts';
import { useStore } from '../../store/store.ts';
import { IconButton } from '../../ui/IconButton.tsx';

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;
const LABELS = { system: 'Colours: as the system', light: 'Colours: light', dark: 'Colours: dark' } as const;

export function ThemeButton() {
  const theme = useStore((state) => state.layout.theme);
  const Icon = ICONS[theme];
  return (
    <IconButton label={LABELS[theme]} data-testid="theme" onClick={nextTheme}>
      <Icon />
    </IconButton>
  );
}
