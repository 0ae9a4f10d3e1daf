// Panes, tabs and theme. Kept between runs in the browser's own storage, because they belong to this window and not to the library.
import type { TabId, Theme } from './state.ts';
import { read, update } from './store.ts';

const KEY = 'codicil.layout';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const systemDark = matchMedia('(prefers-color-scheme: dark)');

export function setTab(tab: TabId): void {
  update('layout', { tab });
}

export function setMiddle(middle: 'document' | 'sideBySide'): void {
  update('layout', { middle });
}

export function setWidths(part: { readonly left?: number; readonly right?: number }): void {
  update('layout', part);
  save();
}

export function nextTheme(): void {
  const { theme } = read().layout;
  update('layout', { theme: THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]! });
  applyTheme();
  save();
}

function applyTheme(): void {
  const { theme } = read().layout;
  const dark = theme === 'dark' || (theme === 'system' && systemDark.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}

function save(): void {
  const { left, right, theme } = read().layout;
  localStorage.setItem(KEY, JSON.stringify({ left, right, theme }));
}

/** Widths and theme of the last run; what cannot be read is left at its default. */
export function restoreLayout(): void {
  const stored = restoreStored(localStorage.getItem(KEY));
  update('layout', stored);
  systemDark.addEventListener('change', applyTheme);
  applyTheme();
}

function restoreStored(text: string | null): { left?: number; right?: number; theme?: Theme } {
  if (text === null) return {};
  try {
    const value = JSON.parse(text) as { left?: unknown; right?: unknown; theme?: unknown };
    const theme = THEMES.find((known) => known === value.theme);
    return {
      ...(typeof value.left === 'number' && value.left >= 220 && value.left <= 460 ? { left: value.left } : {}),
      ...(typeof value.right === 'number' && value.right >= 340 && value.right <= 720 ? { right: value.right } : {}),
      ...(theme ? { theme } : {}),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
