// The program as main runs it: one window, two hosts, and the few messages a window may send to main.
//
// Owns: the order of things from start to end. Leaves everything that has to do with documents to the hosts.
// Rule: each message from a window is checked to come from our own page, and answers only what a person does: connect, choose files.
import { app, BrowserWindow, dialog, ipcMain, session } from 'electron';
import { ERROR_SENTENCES, type Failure } from '../../core/contract/errors.ts';
import { chooseFiles, readGranted } from './grants.ts';
import { guardSession, isOurs } from './guard.ts';
import { Hosts } from './hosts.ts';
import { setMenu } from './menu.ts';
import { dataFolder, namedFiles } from './place.ts';
import { serveScheme } from './scheme.ts';
import { openWindow } from './window.ts';

/** SQLite closes in milliseconds; longer means the host hangs and is killed. */
const STOP_MS = 2000;

let hosts: Hosts | null = null;
let window: BrowserWindow | null = null;
/** Files opened with the program before its window could take them. */
const waiting: string[] = [];
let windowListens = false;

function giveUp(title: string, text: string): void {
  dialog.showErrorBox(title, text);
  app.quit();
}

const onFailed = ({ code, message }: Failure): void => giveUp(ERROR_SENTENCES[code], message);
const onGivenUp = (code: number): void =>
  giveUp(
    'Codicil cannot go on',
    `The workspace process was expected to run and ended again and again, last with code ${code}. Start the program anew; your library is kept.`,
  );

export async function grant(paths: readonly string[]): Promise<void> {
  if (!window || !windowListens) {
    waiting.push(...paths);
    return;
  }
  const files = await readGranted(paths);
  if (files.length > 0) window.webContents.send('files.granted', files);
}

function listen(): void {
  ipcMain.on('port.connect', (event) => {
    if (isOurs(event)) hosts?.connect(event.sender);
  });
  ipcMain.on('files.listening', (event) => {
    if (!isOurs(event)) return;
    windowListens = true;
    void grant(waiting.splice(0));
  });
  ipcMain.handle('files.open', (event) => {
    const owner = BrowserWindow.fromWebContents(event.sender);
    return isOurs(event) && owner ? chooseFiles(owner) : [];
  });
}

export function showWindow(): void {
  if (window) {
    if (window.isMinimized()) window.restore();
    window.focus();
    return;
  }
  windowListens = false;
  window = openWindow();
  window.on('closed', () => {
    window = null;
    windowListens = false;
  });
}

export function start(): void {
  guardSession(session.defaultSession);
  serveScheme(session.defaultSession);
  listen();
  hosts = new Hosts({ dataDir: dataFolder(), onFailed, onGivenUp });
  setMenu({
    addDocuments: () => {
      if (window) void chooseFiles(window).then((files) => window?.webContents.send('files.granted', files));
    },
    command: (name) => window?.webContents.send('command', name),
  });
  showWindow();
  void grant(namedFiles(process.argv, process.cwd()));
}

/** Another start of the program: its files come here, and this window comes to the front. */
export function secondStart(argv: readonly string[], folder: string): void {
  showWindow();
  void grant(namedFiles(argv, folder));
}

export async function stop(): Promise<void> {
  const old = hosts;
  hosts = null;
  await old?.dispose(STOP_MS);
}
