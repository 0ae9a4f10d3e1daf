// Questions before reading: a model whose running prefills can be ended at once.
//
// The Reader keeps up to 32 windows in flight, which is half a minute of work on a small machine; a question must not queue behind that.
// What a cancelled prefill has computed stays in the engine's pages, so reading goes on from there afterwards.
import type { EngineModel, EngineSession } from '../../core/contract/engine.ts';

export interface Interruptible {
  readonly model: EngineModel;
  /** Ends every prefill that runs now; each rejects with `cancelled`. */
  interrupt(): void;
}

export function interruptible(model: EngineModel): Interruptible {
  const syncing = new Set<EngineSession>();
  const watch = (session: EngineSession): EngineSession => ({
    sync: async (prefix, onProgress, options) => {
      syncing.add(session);
      try {
        return await session.sync(prefix, onProgress, options);
      } finally {
        syncing.delete(session);
      }
    },
    generate: (options, onText) => session.generate(options, onText),
    score: (continuation) => session.score(continuation),
    cancel: () => session.cancel(),
    close: () => session.close(),
  });
  return {
    model: {
      get info() {
        return model.info;
      },
      tokenize: (text, special) => model.tokenize(text, special),
      detokenize: (tokens) => model.detokenize(tokens),
      openSession: async () => watch(await model.openSession()),
      known: (prefix) => model.known(prefix),
      figures: () => model.figures(),
      close: () => model.close(),
    },
    interrupt: () => {
      for (const session of syncing) session.cancel();
    },
  };
}
