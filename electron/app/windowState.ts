// Size and place of the window between runs, in window.json of the program's own settings folder.
import { app, screen, type BrowserWindow, type Rectangle } from 'electron';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface WindowState extends Partial<Rectangle> {
  readonly maximized: boolean;
}

const DEFAULT: WindowState = { width: 1440, height: 920, maximized: false };
const file = (): string => path.join(app.getPath('userData'), 'window.json');

/** What was stored, if it can be read and still lies on a screen; the default otherwise. */
export function restoreWindowState(): WindowState {
  try {
    const value = JSON.parse(readFileSync(file(), 'utf8')) as Partial<Record<keyof WindowState, unknown>>;
    const { x, y, width, height } = value;
    const bounds = [x, y, width, height];
    if (!bounds.every((part) => typeof part === 'number' && Number.isFinite(part))) return DEFAULT;
    const stored = { x: x as number, y: y as number, width: width as number, height: height as number };
    const { workArea } = screen.getDisplayMatching(stored);
    const visible =
      stored.x < workArea.x + workArea.width - 80 &&
      stored.x + stored.width > workArea.x + 80 &&
      stored.y >= workArea.y - 10 &&
      stored.y < workArea.y + workArea.height - 40;
    return visible && stored.width >= 600 && stored.height >= 400 ? { ...stored, maximized: value.maximized === true } : DEFAULT;
  } catch {
    // Never stored, or stored by something else: the default is as good a beginning as any.
    return DEFAULT;
  }
}

export function keepWindowState(window: BrowserWindow): void {
  window.on('close', () => {
    const state: WindowState = { ...window.getNormalBounds(), maximized: window.isMaximized() };
    try {
      writeFileSync(file(), JSON.stringify(state));
    } catch (error) {
      // A full or read-only disk must not keep a window from closing.
      console.error(`The window's place was not kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}
