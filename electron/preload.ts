// One forwarder between the window and main: the port to the workspace, granted files, menu commands. No logic lives here.
//
// A MessagePort cannot cross the context bridge as a value, so it is passed on as a message of the window to itself (renderer/ipc.ts takes it).
import { contextBridge, ipcRenderer } from 'electron';

interface GrantedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
/** The one thing of the DOM that is used here; this file is checked with Node's types. */
declare const window: { postMessage(message: unknown, origin: string, transfer: readonly unknown[]): void };

ipcRenderer.on('port', (event) => window.postMessage('codicil:port', 'app://codicil', event.ports));

contextBridge.exposeInMainWorld('api', {
  connect: (): void => ipcRenderer.send('port.connect'),
  openFiles: (): Promise<readonly GrantedFile[]> => ipcRenderer.invoke('files.open'),
  onFiles: (listener: (files: readonly GrantedFile[]) => void): void => {
    ipcRenderer.on('files.granted', (_event, files: readonly GrantedFile[]) => listener(files));
    ipcRenderer.send('files.listening');
  },
  onCommand: (listener: (command: string) => void): void => {
    ipcRenderer.on('command', (_event, command: string) => listener(command));
  },
});
