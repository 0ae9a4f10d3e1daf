// The one store of the window. Components read it with `useStore(selector)`; actions change it with `update`.
import { create } from 'zustand';
import { INITIAL, type State } from './state.ts';

export const useStore = create<State>()(() => INITIAL);

export const read = (): State => useStore.getState();

/** Replaces part of one slice that is an object. */
export function update<K extends 'library' | 'viewer' | 'ask' | 'compare' | 'engine' | 'kept' | 'layout'>(slice: K, part: Partial<State[K]>): void {
  useStore.setState((state) => ({ [slice]: { ...state[slice], ...part } }));
}
