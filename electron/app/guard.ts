// Electron's security checklist in one place: no network, no other pages, no windows, no permissions, no strangers on the line.
//
// Rule: everything is denied here and allowed by name; a new need is a new line with its reason.
import { app, type IpcMainEvent, type IpcMainInvokeEvent, type Session } from 'electron';
import { ORIGIN } from './scheme.ts';

/** What a page may load: its own files, and what it made itself. devtools: is Chromium's own and only there in development. */
const LOCAL = /^(app:\/\/codicil\/|blob:app:\/\/codicil\/|data:|devtools:\/\/)/;
/** Writing the selection to the clipboard is what Ctrl+C does; everything else a page could ask for is of no use here. */
const PERMITTED: readonly string[] = ['clipboard-sanitized-write'];

export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, done) => done(PERMITTED.includes(permission)));
  session.setPermissionCheckHandler((_contents, permission) => PERMITTED.includes(permission));
  session.setDevicePermissionHandler(() => false);
  session.webRequest.onBeforeRequest((details, done) => done({ cancel: !LOCAL.test(details.url) }));
  session.setSpellCheckerEnabled(false);
}

/** For every page that will ever exist in this process, also ones nobody thought of. */
export function guardContents(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}

/** True only for the top frame of the program's own page. */
export function isOurs(event: IpcMainEvent | IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame === event.sender.mainFrame && frame.url.startsWith(`${ORIGIN}/`);
}
