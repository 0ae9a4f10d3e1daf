// The workspace host as the app's main process sees it: start, a port for a window, an engine when one is wanted. Electron itself is not needed:
// a stand-in for its parentPort, and Node's message ports in the place of Electron's.
import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { portChannel } from '../engine/channel.ts';
import { fakeAddon } from '../engine/fakes.test-support.ts';
import { serveEngine } from '../engine/serve.ts';
import { makeDocument, temporaryFolder } from './documents.test-support.ts';

it('the workspace host serves a window and wants an engine only when a question needs one', async () => {
  const parent = new EventEmitter();
  const told: { type: string; failure?: unknown }[] = [];
  const carriers: MessagePort[] = [];
  const send = (data: unknown, ...ports: readonly MessagePort[]): boolean => parent.emit('message', { data, ports });
  const channel = (): MessageChannel => {
    const made = new MessageChannel();
    carriers.push(made.port1, made.port2);
    return made;
  };
  const postMessage = (message: { type: string }): void => {
    told.push(message);
    if (message.type !== 'engine.wanted') return;
    const line = channel();
    serveEngine(portChannel(line.port1), () => fakeAddon({ reply: () => 'none' }), 'test');
    send({ type: 'engine' }, line.port2);
  };
  Object.assign(process, { parentPort: Object.assign(parent, { postMessage }) });
  onTestFinished(() => {
    for (const carrier of carriers) carrier.close();
    Reflect.deleteProperty(process, 'parentPort');
  });

  await import('./host.ts');
  send({ type: 'start', options: { dataDir: temporaryFolder(), reader: '/models/fake.gguf' } });
  expect(told).toEqual([{ type: 'ready' }]);

  const { port1, port2 } = channel();
  const heard: { type: string; id?: number; result?: { ok: boolean; value: { verdict?: string } } }[] = [];
  port1.on('message', (message) => heard.push(message));
  send({ type: 'window' }, port2);
  const { document, bytes } = makeDocument('lease.txt', ['Rent is due.']);
  port1.postMessage({ type: 'request', id: 1, route: 'library.list', body: {} });
  await expect.poll(() => heard.filter((message) => message.type === 'response')).toHaveLength(1);
  expect(heard[0]).toMatchObject({ type: 'hello' });
  expect(told).toHaveLength(1);

  port1.postMessage({ type: 'request', id: 2, route: 'document.add', body: { document, bytes } });
  port1.postMessage({ type: 'request', id: 3, route: 'answer.ask', body: { id: 'q', question: 'Are pets allowed?', documentIds: [document.id] } });
  await expect.poll(() => heard.find((message) => message.id === 3)?.result?.value.verdict).toBe('absent');
  expect(told).toEqual([{ type: 'ready' }, { type: 'engine.wanted' }]);
});
