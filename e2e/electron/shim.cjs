// What Electron 22 lacks against the Electron that Codicil targets, supplied before the app's own main is loaded.
//
//   utilityProcess.fork   hosts need Node 24 (this Electron's Node is 16): they run as forked children of CODICIL_NODE, ports are relayed
//   protocol.handle       came with Electron 25: built on registerBufferProtocol, with the little of Request and Response that the app uses
//   Response, Headers     are no globals in Node 16
//   toSorted, groupBy ... came with Chromium 110 and later: language.js stands in front of every script that the app protocol gives
// Playwright's own loader, which holds the app back until the test is connected, comes first: it is not loaded by itself into a program that is named by
// its path, and a window that opens while Playwright connects is at times never seen by it.
// Rule: only what is missing is replaced; the app carries no line for this.
'use strict';

const { EventEmitter } = require('node:events');
const { fork } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const electron = require('electron');
const { encode, decode } = require('./codec.cjs');

// Electron shows such an error in a dialog, and the program waits for a person who is not there.
process.on('uncaughtException', (error) => {
  process.stderr.write(`Uncaught in the main process: ${error.stack}\n`);
  electron.app.exit(1);
});

if (process.env.CODICIL_DRIVER) require(process.env.CODICIL_DRIVER);

class Headers {
  constructor(init = {}) {
    this.map = new Map();
    for (const [key, value] of Array.isArray(init) ? init : Object.entries(init)) this.set(key, value);
  }
  set(key, value) {
    this.map.set(key.toLowerCase(), String(value));
  }
  get(key) {
    return this.map.get(key.toLowerCase()) ?? null;
  }
  entries() {
    return this.map.entries();
  }
}

class Response {
  constructor(body = null, init = {}) {
    this.body = body;
    this.status = init.status ?? 200;
    this.headers = new Headers(init.headers);
  }
  async bytes() {
    if (this.body === null) return Buffer.alloc(0);
    if (typeof this.body === 'string') return Buffer.from(this.body);
    return ArrayBuffer.isView(this.body) ? Buffer.from(this.body.buffer, this.body.byteOffset, this.body.byteLength) : Buffer.from(this.body);
  }
}

globalThis.Headers ??= Headers;
globalThis.Response ??= Response;

const LANGUAGE = readFileSync(path.join(__dirname, 'language.js'));
/** Imports come first wherever they stand, and each imported script has the same beginning, so whichever runs first lends. */
const withLanguage = (type, data) => (/javascript/.test(type ?? '') ? Buffer.concat([LANGUAGE, Buffer.from('\n'), data]) : data);

function handle(protocol, scheme, handler) {
  protocol.registerBufferProtocol(scheme, async (request, callback) => {
    try {
      const response = await handler({ url: request.url, method: request.method, headers: new Headers(request.headers) });
      const headers = Object.fromEntries(response.headers.entries());
      callback({
        statusCode: response.status,
        headers,
        mimeType: headers['content-type']?.split(';')[0],
        data: withLanguage(headers['content-type'], await response.bytes()),
      });
    } catch (error) {
      callback({ statusCode: 500, mimeType: 'text/plain', data: Buffer.from(String(error)) });
    }
  });
}
const completeSession = (session) => {
  session.protocol.handle ??= (scheme, handler) => handle(session.protocol, scheme, handler);
};
electron.app.on('session-created', completeSession);
// The default session is there before anybody can listen; this runs before what the app does when it is ready.
electron.app.prependListener('ready', () => completeSession(electron.session.defaultSession));

/** The shape of Electron's UtilityProcess over a forked Node 24. */
function forkHost(entry, args = [], options = {}) {
  const child = fork(entry, args, {
    execPath: process.env.CODICIL_NODE,
    execArgv: ['--import', path.join(__dirname, 'host.mjs')],
    env: { ...process.env, ...options.env, ELECTRON_RUN_AS_NODE: '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'json',
  });
  const host = new EventEmitter();
  const ports = new Map();
  let next = 0;
  // A process on its way out hears nothing more, as with Electron's own: without the callback the broken pipe would be an uncaught error.
  const send = (message) => child.connected && child.send(encode(message), () => {});
  host.pid = child.pid;
  host.stdout = null;
  host.stderr = null;
  host.postMessage = (data, transfer = []) => {
    const ids = transfer.map((port) => {
      const id = (next += 1);
      ports.set(id, port);
      port.on('message', (event) => send({ kind: 'port', id, data: event.data }));
      port.on('close', () => send({ kind: 'close', id }));
      port.start();
      return id;
    });
    send({ kind: 'post', data, ports: ids });
  };
  host.kill = () => child.kill();
  child.on('message', (text) => {
    const message = decode(text);
    if (message.kind === 'post') host.emit('message', message.data);
    else if (message.kind === 'port') ports.get(message.id)?.postMessage(message.data);
    else if (message.kind === 'close') ports.get(message.id)?.close();
  });
  child.on('spawn', () => host.emit('spawn'));
  child.on('exit', (code, signal) => {
    for (const port of ports.values()) port.close();
    host.emit('exit', code ?? (signal ? 1 : 0));
  });
  return host;
}
electron.utilityProcess.fork = forkHost;

require(process.env.CODICIL_MAIN);
