// Small documents and a scripted engine for the tests of core/ask.
// Owns: a one-page document whose paragraphs are clauses, and a model whose tokens are characters and whose answers are a function of its prompt.
// Rule: an answer that the mask forbids throws, so a test also proves that its mask allows what it expects.
import type { Document } from '../contract/document.ts';
import { plainBlock, plainClause, plainDocument } from '../contract/make.test-support.ts';
import type { EngineModel, EngineSession, GenerateOptions, TokenMask } from '../contract/engine.ts';

/** A document of one page: each text a paragraph, each paragraph a clause of its own when it begins with a number. */
export function documentOf(texts: readonly string[], id = 'doc'): Document {
  const blocks = texts.map((text, i) => {
    const edges = Array.from({ length: text.length + 1 }, (_, k) => 72 + k * 5);
    const box = { x0: 72, y0: 72 + i * 20, x1: edges.at(-1)!, y1: 84 + i * 20 };
    return plainBlock({
      id: `b${i}`,
      text,
      at: [{ page: 0, box }],
      lines: [{ start: 0, end: text.length, page: 0, box, edges, axis: 'x' }],
      number: /^\d+(\.\d+)*/.exec(text)?.[0] ?? null,
      indent: 72,
    });
  });
  const clauses = blocks.map((block, i) =>
    plainClause({
      id: `c${i}`,
      path: block.number ?? '',
      number: block.number ?? '',
      spans: [{ documentId: id, blockId: block.id, start: 0, end: block.text.length }],
    }),
  );
  return plainDocument({ id, name: `${id}.txt`, pages: [{ width: 612, height: 792, label: '1', source: 'digital', confidence: null }], blocks, clauses });
}

/** One token per character; what was synced can be read back as text. */
export const toTokens = (text: string): Int32Array => Int32Array.from(text, (character) => character.codePointAt(0)!);
export const toText = (tokens: Int32Array): string => Array.from(tokens, (token) => String.fromCodePoint(token)).join('');

/** Follows a mask over an answer: true when every token is allowed and it may end there. */
export function allows(mask: TokenMask, tokens: Int32Array): boolean {
  let state = 0;
  for (const token of tokens) {
    let next = mask.anyNext[state]!;
    for (let edge = mask.stateOffset[state]!; edge < mask.stateOffset[state + 1]!; edge += 1) if (mask.edgeToken[edge] === token) next = mask.edgeNext[edge]!;
    if (next < 0) return false;
    state = next;
  }
  return mask.mayEnd[state] === 1;
}

/** A model whose answers come from `reply(prompt)`; an answer that its mask forbids fails the test. P(none) is 0.99 for `none`, else 0.01. */
export function scriptedModel(reply: (prompt: string) => string): EngineModel {
  const openSession = async (): Promise<EngineSession> => {
    let prompt = '';
    return {
      sync: async (prefix) => {
        prompt = toText(prefix);
        return { reusedTokens: 0, computedTokens: prefix.length, ms: 0 };
      },
      generate: async (options: GenerateOptions) => {
        const text = reply(prompt);
        const tokens = toTokens(text);
        if (options.mask && !allows(options.mask, tokens)) throw new Error(`the mask forbids “${text}”`);
        return { tokens, text, end: 'end_token', probeLogprobs: Float64Array.of(Math.log(text === 'none' ? 0.99 : 0.01)), logprobs: new Float64Array() };
      },
      score: async () => new Float64Array(),
      cancel: () => undefined,
      close: () => undefined,
    };
  };
  return {
    info: {
      path: '',
      name: 'scripted',
      architecture: 'llama',
      fileType: 'F32',
      license: '',
      chatTemplate: '',
      parameters: 0,
      fileBytes: 0,
      contextTokens: 8192,
      vocab: 0,
      layers: 0,
      eos: 0,
      endTokens: [],
    },
    tokenize: async (text) => toTokens(text),
    detokenize: async (tokens) => toText(tokens),
    known: async () => 0,
    openSession,
    figures: async () => {
      throw new Error('no figures are expected here');
    },
    close: async () => undefined,
  };
}
