// Entry of the desktop app: which app event calls what. No logic lives here.
import { app } from 'electron';
import { guardContents } from './app/guard.ts';
import { grant, secondStart, showWindow, start, stop } from './app/program.ts';
import { declareScheme } from './app/scheme.ts';

if (app.requestSingleInstanceLock()) {
  declareScheme();
  guardContents();
  // Where the whole sandbox was switched off by hand (a container's root), asking for it would end the program.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.on('second-instance', (_event, argv, folder) => secondStart(argv, folder));
  app.on('open-file', (event, file) => {
    event.preventDefault();
    void grant([file]);
  });
  app.on('activate', () => app.isReady() && showWindow());
  app.on('window-all-closed', () => process.platform !== 'darwin' && app.quit());
  let stopped = false;
  app.on('will-quit', (event) => {
    if (stopped) return;
    event.preventDefault();
    stopped = true;
    void stop().finally(() => app.quit());
  });
  void app.whenReady().then(start);
} else app.quit();
