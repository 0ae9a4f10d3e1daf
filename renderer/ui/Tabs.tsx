import { type KeyboardEvent, type ReactNode } from 'react';
import css from './Tabs.module.css';

export interface Tab<T extends string> {
  readonly id: T;
  readonly label: string;
  readonly icon: ReactNode;
  readonly badge?: string | undefined;
}

/** A tab list with the arrow keys of the ARIA pattern; panels carry `panel-<id>`. */
export function Tabs<T extends string>({ tabs, value, onChange, label }: { tabs: readonly Tab<T>[]; value: T; onChange: (id: T) => void; label: string }) {
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === value);
    const next = tabs[(at + step + tabs.length) % tabs.length]!;
    onChange(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} className={css['tabs']} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`tab-${tab.id}`}
          type="button"
          role="tab"
          data-testid={`tab-${tab.id}`}
          aria-selected={tab.id === value}
          aria-controls={`panel-${tab.id}`}
          tabIndex={tab.id === value ? 0 : -1}
          className={css['tab']}
          onClick={() => onChange(tab.id)}
        >
          {tab.icon}
          {tab.label}
          {tab.badge !== undefined && <span className={css['badge']}>{tab.badge}</span>}
        </button>
      ))}
    </div>
  );
}
