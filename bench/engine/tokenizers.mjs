// Does every tokenizer give llama.cpp's ids? On its published vectors, and on real contracts and odd strings put to both programs.
//
//   node bench/engine/tokenizers.mjs [--contracts 100] [--json]
//
// Vectors: `models/ggml-vocab-*.gguf` with `.inp` and `.out` in llama.cpp's source, all those whose tokenizer a model of our architectures has.
// Vocabularies whose pre-tokenizer we do not know must be refused by name. Exit code 1 if a claim fails.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { peerDir } from '../peer/build.mjs';
import { claim, reportClaims } from './claims.mjs';
import { call, enginePath, inputFile, machine, machineLine, peerPath, readerFiles, say } from './programs.mjs';
import { ODD_TEXTS, realTexts } from './texts.mjs';

const args = process.argv.slice(2);
const CONTRACTS = args.includes('--contracts') ? Number(args[args.indexOf('--contracts') + 1]) : 100;
const PER_ROUND = 20; // realTexts() counts in twenties
const VOCABULARIES = ['gpt-2', 'llama-bpe', 'llama-spm', 'phi-3', 'qwen2', 'qwen35'];
const REFUSED = ['command-r', 'deepseek-coder', 'falcon', 'starcoder', 'bert-bge'];

const tokenize = (program, model, texts, special = false) =>
  call(program, ['tokenize', '--model', model, '--file', inputFile('texts.json', texts), ...(special ? ['--special'] : [])]);

const same = (a, b) => a.length === b.length && a.every((id, i) => id === b[i]);

/** llama.cpp's own pairs: texts between marks, ids a line each; written with special tokens parsed off and no bos. */
async function vectors(engine, name, vocabulary) {
  const texts = readFileSync(`${vocabulary}.inp`, 'utf8').split('\n__ggml_vocab_test__\n');
  const lines = readFileSync(`${vocabulary}.out`, 'utf8').split('\n').slice(0, texts.length);
  const wanted = lines.map((line) => line.trim().split(/\s+/).filter(Boolean).map(Number));
  const found = await tokenize(engine, vocabulary, texts);
  const wrong = texts.filter((_, i) => !same(found[i], wanted[i]));
  claim(
    `${name}: published vectors`,
    wrong.length === 0,
    `${texts.length - wrong.length} of ${texts.length}${wrong.map((text) => ` ${JSON.stringify(text)}`).join('')}`,
  );
}

async function both(engine, judge, name, vocabulary, texts, what) {
  const [ours, theirs] = [await tokenize(engine, vocabulary, texts), await tokenize(judge, vocabulary, texts)];
  const wrong = texts.filter((_, i) => !same(ours[i], theirs[i]));
  const ids = theirs.reduce((sum, list) => sum + list.length, 0);
  claim(
    `${name}: ${what}`,
    wrong.length === 0,
    `${texts.length - wrong.length} of ${texts.length} (${ids} ids)${wrong.map((text) => ` ${JSON.stringify(text.slice(0, 40))}`).join('')}`,
  );
}

async function refused(engine, name, vocabulary) {
  const sentence = await tokenize(engine, vocabulary, ['x']).then(
    () => null,
    (error) => String(error.message),
  );
  claim(
    `${name}: refused by name`,
    sentence !== null && /model_unsupported: .* was expected .* was found/.test(sentence),
    sentence?.split('ended with ')[1] ?? 'was accepted',
  );
}

async function run() {
  const engine = enginePath();
  const judge = await peerPath();
  say(machineLine(machine()));
  const folder = join(peerDir(), 'llama.cpp', 'models');
  const file = (name) => join(folder, `ggml-vocab-${name}.gguf`);
  const contracts = realTexts(Math.ceil(CONTRACTS / PER_ROUND))
    ?.map(({ text }) => text)
    .slice(0, CONTRACTS);
  if (!contracts) say('No corpora: set CODICIL_CORPORA to compare on real contracts. Odd strings only.');
  const models = [['the Reader', readerFiles().model], ...VOCABULARIES.map((name) => [name, file(name)])];
  for (const [name, model] of models) {
    if (existsSync(`${model}.inp`)) await vectors(engine, name, model);
    await both(engine, judge, name, model, ODD_TEXTS, 'odd strings');
    if (contracts) await both(engine, judge, name, model, contracts, 'real contracts');
  }
  for (const name of REFUSED) await refused(engine, name, file(name));
}

await reportClaims(run, args.includes('--json'));
