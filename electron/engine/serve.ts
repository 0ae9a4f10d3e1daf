// The engine host's work: every method of protocol.ts over one channel, on models and sessions kept by number.
//
// Owns: the numbers, and closing everything when the line closes. Leaves batching, caching and cancelling to the native engine.
// Rule: a request is answered exactly once, with data, also when it names a model or session that is gone.
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import type { Forgotten } from '../../core/contract/engine.ts';
import { CONTRACT_VERSION } from '../../core/contract/version.ts';
import type { NativeAddon, NativeEngine, NativeSession } from './addon.ts';
import type { Channel } from './channel.ts';
import type { EngineMessage, EngineRequest, Method, MethodRequest, MethodValue } from './protocol.ts';

type Frame = (value: readonly [number, number] | string) => void;
type EngineHandlers = { readonly [M in Method]: (request: MethodRequest<M>, frame: Frame) => MethodValue<M> | Promise<MethodValue<M>> };

/** Serves `load()`ed engine over the channel. The addon is loaded at the first request, so that its failure is an answer and not a dead process. */
export function serveEngine(channel: Channel, load: () => NativeAddon, build: string): void {
  const models = new Map<number, NativeEngine>();
  const sessions = new Map<number, { readonly model: number; readonly session: NativeSession }>();
  const handlers = engineHandlers(load, models, sessions);
  const post = (message: EngineMessage): void => channel.post(message);

  channel.onMessage((message) => {
    const { type, id, method, request } = message as EngineRequest;
    if (type !== 'request') return;
    const frame: Frame = (value) => post({ type: 'frame', id, value });
    const handler = handlers[method] as ((request: unknown, frame: Frame) => unknown) | undefined;
    Promise.resolve()
      .then(() => {
        if (!handler) throw new CodicilError('invalid_request', `The engine knows no method "${method as string}". Use a client of the same version.`);
        return handler(request, frame);
      })
      .then((value) => post({ type: 'response', id, reply: { ok: true, value } }))
      .catch((error: unknown) => post({ type: 'response', id, reply: { ok: false, failure: toFailure(error) } }));
  });
  channel.onClose(() => {
    // A session holds the parts of its engine: while one is open, closing the engine does not write what waits for the disk.
    for (const { session } of sessions.values()) session.close();
    for (const engine of models.values()) engine.close();
    models.clear();
    sessions.clear();
  });
  post({ type: 'hello', contract: CONTRACT_VERSION, build, pid: process.pid });
}

type Models = Map<number, NativeEngine>;
type Sessions = Map<number, { readonly model: number; readonly session: NativeSession }>;

function engineHandlers(load: () => NativeAddon, models: Models, sessions: Sessions): EngineHandlers {
  let addon: NativeAddon | null = null;
  const native = (): NativeAddon => (addon ??= load());
  let lastNumber = 0;
  const model = (number: number): NativeEngine => known(models, number, 'model');
  const session = (number: number): NativeSession => known(sessions, number, 'session').session;
  return {
    'model.open': async ({ path, options }) => {
      const engine = await native().open({ modelPath: path, ...options });
      lastNumber += 1;
      models.set(lastNumber, engine);
      return { model: lastNumber, info: engine.model() };
    },
    'model.close': ({ model: number }) => {
      for (const [id, { model: of, session: opened }] of sessions) {
        if (of !== number) continue;
        opened.close();
        sessions.delete(id);
      }
      models.get(number)?.close();
      models.delete(number);
      return null;
    },
    'model.tokenize': ({ model: number, text, special }) => model(number).tokenize(text, special),
    'model.detokenize': ({ model: number, tokens }) => model(number).detokenize(tokens),
    'model.known': ({ model: number, prefix }) => model(number).known(prefix),
    'model.figures': ({ model: number }) => model(number).stats(),
    'model.inspect': ({ path }) => native().inspect(path),
    'model.plan': ({ path, options }) => native().plan({ modelPath: path, ...options }),
    'session.open': ({ model: number }) => {
      const opened = model(number).openSession();
      lastNumber += 1;
      sessions.set(lastNumber, { model: number, session: opened });
      return lastNumber;
    },
    'session.sync': ({ session: number, prefix, progress, options }, frame) =>
      session(number).sync(prefix, progress ? (done, total) => frame([done, total]) : undefined, options),
    'session.generate': ({ session: number, options, stream }, frame) => session(number).generate(options, stream ? ({ text }) => frame(text) : undefined),
    'session.score': ({ session: number, continuation }) => session(number).score(continuation),
    'session.close': ({ session: number }) => {
      sessions.get(number)?.session.close();
      sessions.delete(number);
      return null;
    },
    'session.cancel': ({ session: number }) => {
      sessions.get(number)?.session.cancel();
      return null;
    },
    'store.list': ({ folder }) => native().listStored(folder),
    'store.forget': ({ folder, owner }) => forgetStored(native(), models, folder, owner),
    'store.clear': async ({ folder }) => {
      const { owners } = await native().listStored(folder);
      const gone: Forgotten[] = [];
      for (const { owner } of owners) gone.push(await forgetStored(native(), models, folder, owner));
      // An open model has its list of files: nobody takes them away from under it.
      if (models.size === 0) gone.push(await native().clearStored(folder));
      return sum(gone);
    },
    'machine.figures': () => native().machine(),
  };
}

/** Open models first: they know their own files. Then those of models that are not open. */
async function forgetStored(addon: NativeAddon, models: Models, folder: string, owner: string): Promise<Forgotten> {
  const open = [...models.values()].map((engine) => engine.forget(owner));
  return sum([...open, await addon.forgetStored(folder, owner)]);
}

const sum = (parts: readonly Forgotten[]): Forgotten => ({
  files: parts.reduce((all, part) => all + part.files, 0),
  bytes: parts.reduce((all, part) => all + part.bytes, 0),
});

function known<T>(map: ReadonlyMap<number, T>, number: number, noun: string): T {
  const found = map.get(number);
  if (found === undefined) throw new CodicilError('not_found', `An open ${noun} was expected; number ${number} is closed. Open it again.`);
  return found;
}
