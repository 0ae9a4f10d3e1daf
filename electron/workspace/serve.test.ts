// The window's server: nothing without the token, nothing to strange hosts or origins, nothing outside the folder; a working port with it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { packMessage, unpackMessage } from '../../core/contract/port.ts';
import { CONTRACT_VERSION } from '../../core/contract/version.ts';
import { makeDocument, temporaryFolder } from './documents.test-support.ts';
import { serveBrowser, type Served } from './serve.ts';
import { Workspace } from './workspace.ts';

async function open(): Promise<{ served: Served; cookie: string; base: string }> {
  const folder = temporaryFolder();
  const renderer = path.join(folder, 'renderer');
  mkdirSync(path.join(renderer, 'assets'), { recursive: true });
  writeFileSync(path.join(renderer, 'index.html'), '<!doctype html><title>Codicil</title>');
  writeFileSync(path.join(renderer, 'assets', 'parser.wasm'), 'wasm');
  writeFileSync(path.join(folder, 'secret.txt'), 'secret');
  const workspace = new Workspace({
    dataDir: path.join(folder, 'data'),
    prefill: false,
    reader: null,
    spawnEngine: () => Promise.reject(new Error('no engine is expected here')),
  });
  const served = await serveBrowser({ workspace, folder: renderer, port: 0 });
  onTestFinished(async () => {
    await served.dispose();
    workspace.dispose();
  });
  const token = new URL(served.url).searchParams.get('token')!;
  return { served, cookie: `codicil-${served.port}=${token}`, base: `http://127.0.0.1:${served.port}` };
}

/** Unlike fetch this sends the path and the Host header as they are. */
function get(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; body: string; headers: Readonly<Record<string, unknown>> }> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path: target, headers }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', () => resolve({ status: response.statusCode!, body, headers: response.headers }));
    })
      .on('error', reject)
      .end();
  });
}

interface Received {
  readonly type: string;
  readonly id?: number;
  readonly result?: unknown;
}

/** An open socket, or the status it was refused with. What it receives, from the first byte on, goes into `received`. */
function connect(base: string, headers: Readonly<Record<string, string>>, received: Received[] = []): Promise<WebSocket | number> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/port`, { headers });
  socket.on('message', (data) => received.push(unpackMessage(new Uint8Array(data as Buffer)) as Received));
  return new Promise((resolve) => {
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
    socket.on('error', () => resolve(0));
  });
}

describe('the server of the window', () => {
  it('moves the token from the address into a cookie, and serves with it', async () => {
    const { served, cookie, base } = await open();
    const first = await fetch(served.url, { redirect: 'manual' });
    expect(first.status).toBe(303);
    expect(first.headers.get('location')).toBe('/');
    expect(first.headers.get('set-cookie')).toContain('HttpOnly; SameSite=Strict');
    const page = await fetch(`${base}/`, { headers: { cookie } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self' 'wasm-unsafe-eval';");
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe-inline');
    const wasm = await fetch(`${base}/assets/parser.wasm`, { headers: { cookie } });
    expect([wasm.headers.get('content-type'), await wasm.text()]).toEqual(['application/wasm', 'wasm']);
  });

  it('gives nothing to who has no token, another host name, or another origin', async () => {
    const { served, cookie, base } = await open();
    expect((await fetch(`${base}/`)).status).toBe(403);
    expect((await fetch(`${base}/?token=${'0'.repeat(64)}`)).status).toBe(403);
    expect((await get(served.port, '/', { cookie, host: 'evil.example' })).status).toBe(403);
    expect((await get(served.port, '/', { cookie, origin: 'http://evil.example' })).status).toBe(403);
    const host = `127.0.0.1:${served.port}`;
    expect(await connect(base, { cookie, origin: 'http://evil.example' })).toBe(403);
    expect(await connect(base, { cookie })).toBe(403);
    expect(await connect(base, { origin: `http://${host}` })).toBe(403);
    const port = (await connect(base, { cookie, origin: `http://${host}` })) as WebSocket;
    expect(port.readyState).toBe(WebSocket.OPEN);
    port.close();
  });

  it('serves nothing from outside its folder', async () => {
    const { served, cookie } = await open();
    for (const target of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/%00',
      '/%',
      '//secret.txt',
      'http://127.0.0.1/secret.txt',
      '/assets/',
    ]) {
      const answer = await get(served.port, target, { cookie });
      expect([target, answer.status, answer.body]).toEqual([target, 404, 'There is no such file.\n']);
    }
  });

  it('carries requests with bytes, and failures as data', async () => {
    const { cookie, base, served } = await open();
    const messages: Received[] = [];
    const socket = (await connect(base, { cookie, origin: `http://127.0.0.1:${served.port}` }, messages)) as WebSocket;
    const { document, bytes } = makeDocument('lease.txt', ['Rent is due.']);
    socket.send(packMessage({ type: 'hello', contract: CONTRACT_VERSION, build: 'test' }));
    socket.send(packMessage({ type: 'request', id: 1, route: 'document.add', body: { document, bytes } }));
    socket.send(packMessage({ type: 'request', id: 2, route: 'document.bytes', body: { documentId: document.id } }));
    socket.send(packMessage({ type: 'request', id: 3, route: 'nothing.here', body: {} }));
    await expect.poll(() => messages.filter((message) => message.type === 'response')).toHaveLength(3);
    const response = (id: number): unknown => messages.find((message) => message.id === id)?.result;
    expect(response(1)).toMatchObject({ ok: true, value: { name: 'lease.txt' } });
    expect(response(2)).toEqual({ ok: true, value: { bytes } });
    expect(response(3)).toMatchObject({ ok: false, failure: { code: 'invalid_request' } });
    expect(messages.map((message) => message.type)).toEqual(expect.arrayContaining(['hello', 'event']));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.send('not a frame');
    expect(await closed).toBe(4000);
  });

  it('says what to do when the window is not built or the port is taken', async () => {
    const { served } = await open();
    const workspace = { handlers: {}, subscribe: () => () => {} } as unknown as Workspace;
    await expect(serveBrowser({ workspace, folder: temporaryFolder(), port: 0 })).rejects.toMatchObject({ code: 'not_found' });
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'index.html'), '');
    await expect(serveBrowser({ workspace, folder, port: served.port })).rejects.toMatchObject({ code: 'io_failed' });
  });
});
