// The window: sandboxed, isolated, without Node, showing app://codicil and nothing else.
import { BrowserWindow, nativeTheme } from 'electron';
import { preloadFile } from './place.ts';
import { HOME } from './scheme.ts';
import { keepWindowState, restoreWindowState } from './windowState.ts';

/** The window's own background of tokens.css, so that nothing flashes before the first paint. */
const BACKGROUND = { light: '#faf9f7', dark: '#181817' } as const;

export function openWindow(): BrowserWindow {
  const { maximized, ...bounds } = restoreWindowState();
  const window = new BrowserWindow({
    ...bounds,
    minWidth: 960,
    minHeight: 600,
    show: false,
    title: 'Codicil',
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    autoHideMenuBar: true,
    webPreferences: {
      preload: preloadFile,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      enableWebSQL: false,
    },
  });
  if (maximized) window.maximize();
  keepWindowState(window);
  window.once('ready-to-show', () => window.show());
  void window.loadURL(HOME);
  return window;
}
