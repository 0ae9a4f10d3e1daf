// Token automata for the three answer forms of the Reader (READER.md): what it may say, and nothing else.
//
//   question    `41` | `12, 13` | `none`
//   statement   `supported 12, 13` | `contradicted 7` | `none`
//   extract     `41 | California` | `none`
//
// Numbers are 1..n without leading zeros. An automaton over tokens is built from the tokens of the pieces (digits, ", ", "none", ...):
// the Reader's tokenizer splits digits singly, so pieces and text have the same tokens.
import type { EngineModel, TokenMask } from '../contract/engine.ts';

export type AnswerForm = 'question' | 'statement' | 'extract';

export interface AnswerTokens {
  readonly digits: readonly Int32Array[];
  readonly separator: Int32Array;
  readonly none: Int32Array;
  readonly supported: Int32Array;
  readonly contradicted: Int32Array;
  readonly bar: Int32Array;
}

/** Tokens of the pieces that answers are made of; ask once per model. */
export async function answerTokens(model: EngineModel): Promise<AnswerTokens> {
  const piece = (text: string): Promise<Int32Array> => model.tokenize(text, false);
  const [digits, separator, none, supported, contradicted, bar] = await Promise.all([
    Promise.all([...'0123456789'].map(piece)),
    piece(', '),
    piece('none'),
    piece('supported '),
    piece('contradicted '),
    piece(' |'),
  ]);
  return { digits, separator, none, supported, contradicted, bar };
}

interface State {
  edges: Map<number, number>;
  anyNext: number;
  mayEnd: boolean;
}

class Automaton {
  private readonly states: State[] = [];

  add(mayEnd = false): number {
    this.states.push({ edges: new Map(), anyNext: -1, mayEnd });
    return this.states.length - 1;
  }

  /** Leads from `from` over `tokens` to `to`, sharing states that are there already. */
  path(from: number, tokens: Int32Array, to: number): void {
    let at = from;
    tokens.forEach((token, i) => {
      const last = i === tokens.length - 1;
      const known = this.states[at]!.edges.get(token);
      const next = last ? to : (known ?? this.add());
      this.states[at]!.edges.set(token, next);
      at = next;
    });
  }

  free(state: number): void {
    this.states[state]!.anyNext = state;
  }

  build(): TokenMask {
    const edgeToken: number[] = [];
    const edgeNext: number[] = [];
    const stateOffset = [0];
    for (const state of this.states) {
      for (const [token, next] of [...state.edges].sort(([a], [b]) => a - b)) {
        edgeToken.push(token);
        edgeNext.push(next);
      }
      stateOffset.push(edgeToken.length);
    }
    return {
      edgeToken: Int32Array.from(edgeToken),
      edgeNext: Int32Array.from(edgeNext),
      stateOffset: Int32Array.from(stateOffset),
      anyNext: Int32Array.from(this.states, (state) => state.anyNext),
      mayEnd: Uint8Array.from(this.states, (state) => Number(state.mayEnd)),
    };
  }
}

/** The automaton of one form for a window of `n` sentences, n >= 1. */
export function answerMask(form: AnswerForm, n: number, tokens: AnswerTokens): TokenMask {
  const automaton = new Automaton();
  const start = automaton.add();
  const end = automaton.add(true);
  automaton.path(start, tokens.none, end);
  if (form === 'extract') {
    const text = automaton.add(true);
    automaton.free(text);
    addNumbers(automaton, start, n, tokens, (value) => automaton.path(value, tokens.bar, text), false);
    return automaton.build();
  }
  // Behind ", " (and behind "supported ") only a number may follow, never `none`.
  const numbers = automaton.add();
  const more = (value: number): void => automaton.path(value, tokens.separator, numbers);
  addNumbers(automaton, numbers, n, tokens, more);
  if (form === 'question') addNumbers(automaton, start, n, tokens, more);
  else for (const word of [tokens.supported, tokens.contradicted]) automaton.path(start, word, numbers);
  return automaton.build();
}

/** Numbers 1..n from `from`; `then` is called with the state behind every complete number. */
function addNumbers(automaton: Automaton, from: number, n: number, tokens: AnswerTokens, then: (state: number) => void, mayEnd = true): void {
  const grow = (state: number, value: number): void => {
    for (let digit = value === 0 ? 1 : 0; digit <= 9; digit += 1) {
      const next = value * 10 + digit;
      if (next > n) break;
      const to = automaton.add(mayEnd);
      automaton.path(state, tokens.digits[digit]!, to);
      grow(to, next);
      then(to);
    }
  };
  grow(from, 0);
}

export interface ReaderReply {
  readonly verdict: 'none' | 'answer' | 'supported' | 'contradicted';
  /** Indices from 0 into the window's sentences. */
  readonly indices: readonly number[];
  /** The value of an `extract` answer, as generated. */
  readonly value: string | null;
}

/** Reads an answer back; text that is none of the forms (a cut answer) counts as `none`. */
export function parseReply(text: string, n: number): ReaderReply {
  const none: ReaderReply = { verdict: 'none', indices: [], value: null };
  const match = /^(supported |contradicted )?(\d+(?:, \d+)*)(?: \|\s*(.*))?$/su.exec(text.trim());
  if (!match) return none;
  const numbers = match[2]!
    .split(', ')
    .map(Number)
    .filter((value) => value >= 1 && value <= n);
  if (numbers.length === 0) return none;
  const word = match[1]?.trim();
  const verdict = word === 'supported' || word === 'contradicted' ? word : 'answer';
  const value = match[3]?.trim() ?? '';
  return { verdict, indices: [...new Set(numbers.map((value_) => value_ - 1))].sort((a, b) => a - b), value: value === '' ? null : value };
}
