// Loaded before a host under Node 24: gives it the `process.parentPort` that Electron's utilityProcess would, over the fork channel.
// Ports that main hands over are relayed: each is a number on this line, and this side of it looks like a MessagePort.
import { EventEmitter } from 'node:events';
import codec from './codec.cjs';

const ports = new Map();
const send = (message) => process.connected && process.send(codec.encode(message), undefined, undefined, () => {});

function relayedPort(id) {
  const port = new EventEmitter();
  port.postMessage = (data) => send({ kind: 'port', id, data });
  port.start = () => undefined;
  port.close = () => send({ kind: 'close', id });
  ports.set(id, port);
  return port;
}

const parentPort = new EventEmitter();
parentPort.postMessage = (data) => send({ kind: 'post', data });
parentPort.start = () => undefined;
process.parentPort = parentPort;

process.on('message', (text) => {
  const message = codec.decode(text);
  if (message.kind === 'post') parentPort.emit('message', { data: message.data, ports: message.ports.map(relayedPort) });
  else if (message.kind === 'port') ports.get(message.id)?.emit('message', { data: message.data, ports: [] });
  else if (message.kind === 'close') ports.get(message.id)?.emit('close');
});
process.on('disconnect', () => process.exit(0));
