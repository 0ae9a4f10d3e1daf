// The engine's figures and the choice of a model.
import { toFailure } from '../../core/contract/errors.ts';
import { request } from '../ipc.ts';
import { read, update } from './store.ts';

export async function loadStats(): Promise<void> {
  try {
    update('engine', { stats: await request('engine.stats', {}) });
  } catch (error) {
    // Figures come again by themselves once a second; only a fault of the program is worth stopping for.
    if (toFailure(error).code === 'internal') throw error;
  }
}

export async function loadModels(): Promise<void> {
  if (!read().engine.models) update('engine', { models: { status: 'running' } });
  try {
    update('engine', { models: { status: 'done', value: (await request('model.list', {})).models } });
  } catch (error) {
    update('engine', { models: { status: 'failed', failure: toFailure(error) } });
  }
}

/** Takes a model file as the Writer, or none. */
export async function chooseModel(path: string | null): Promise<void> {
  update('engine', { choosing: path ?? '' });
  try {
    update('engine', { models: { status: 'done', value: (await request('model.choose', { path })).models }, choosing: null });
  } catch (error) {
    update('engine', { models: { status: 'failed', failure: toFailure(error) }, choosing: null });
  }
}
