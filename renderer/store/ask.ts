// Questions and their answers: asking, stopping, and the prose that streams in between.
//
// Owns: the list of exchanges. Leaves verdicts, evidence and their verification to the workspace: nothing here decides what is true.
// Rule: streamed prose is put on screen at most once per animation frame, whatever the rate of events.
import type { Answer, Evidence } from '../../core/contract/answer.ts';
import { toFailure } from '../../core/contract/errors.ts';
import { request } from '../ipc.ts';
import type { Exchange, Mark } from './state.ts';
import { read, update, useStore } from './store.ts';
import { reveal } from './viewer.ts';

function change(id: string, part: Partial<Exchange>): void {
  useStore.setState((state) => ({
    ask: { ...state.ask, exchanges: state.ask.exchanges.map((exchange) => (exchange.id === id ? { ...exchange, ...part } : exchange)) },
  }));
}

export function setDraft(draft: string): void {
  update('ask', { draft });
}

export function setScope(scope: 'all' | 'open'): void {
  update('ask', { scope });
}

function scopeIds(): readonly string[] {
  const { ask, viewer, library } = read();
  if (ask.scope === 'open' && viewer.openId !== null) return [viewer.openId];
  return library.documents.map((document) => document.id);
}

export async function ask(question: string): Promise<void> {
  const documentIds = scopeIds();
  if (question.trim() === '' || documentIds.length === 0) return;
  const id = crypto.randomUUID();
  const exchange: Exchange = {
    id,
    question: question.trim(),
    documentIds,
    status: 'running',
    phase: 'reading',
    done: 0,
    total: 0,
    written: '',
    answer: null,
    failure: null,
    cancelling: false,
  };
  update('ask', { draft: '', exchanges: [...read().ask.exchanges, exchange] });
  try {
    const answer = await request('answer.ask', { id, question: exchange.question, documentIds: [...documentIds] });
    change(id, { status: 'done', answer });
  } catch (error) {
    change(id, { status: 'failed', failure: toFailure(error) });
  }
}

export async function cancelAnswer(id: string): Promise<void> {
  change(id, { cancelling: true });
  try {
    await request('answer.cancel', { id });
  } catch (error) {
    change(id, { cancelling: false, failure: toFailure(error) });
  }
}

export function removeExchange(id: string): void {
  update('ask', { exchanges: read().ask.exchanges.filter((exchange) => exchange.id !== id) });
}

const pieces = new Map<string, string>();

/** Collects streamed prose and shows it with the next frame. */
export function appendWritten(id: string, text: string): void {
  if (pieces.size === 0) requestAnimationFrame(flush);
  pieces.set(id, (pieces.get(id) ?? '') + text);
}

function flush(): void {
  for (const [id, text] of pieces) {
    const exchange = read().ask.exchanges.find((other) => other.id === id);
    if (exchange) change(id, { phase: 'writing', written: exchange.written + text });
  }
  pieces.clear();
}

export function progressAnswer(id: string, phase: Exchange['phase'], done: number, total: number): void {
  change(id, { phase, done, total });
}

const markOf = (answer: Answer, evidence: Evidence): Mark => ({ id: `${answer.id}:${evidence.n}`, spans: evidence.spans, tone: 'evidence', n: evidence.n });

/** Shows one citation on its page, with the others of the same answer beside it, paler. */
export function showEvidence(answer: Answer, n: number): void {
  const marks = answer.evidence.filter((evidence) => evidence.state !== 'unverified').map((evidence) => markOf(answer, evidence));
  const active = marks.find((mark) => mark.n === n);
  if (active) void reveal(marks, active);
}
