// What do guesses bring, and what do they cost where nothing repeats? Greedy answers of one model with and without, in one run.
//
//   node bench/engine/drafting.mjs [--json] [--rounds 3] [--threads 2] [--tokens 96] [--model FILE.gguf]
//
// Two kinds of prompt: a passage of a real text with the request to repeat it (copy), and a request for a list of a kind that the prompt does not hold
// (plain). Each round runs off, lookup, lookup, off, so that a drift of the machine falls on both; the ratio is that of the sums of decode seconds in a
// round. The tokens must be the same in all runs: if they are not, exit code 1. Claims no speed: a ratio is printed, not judged.

import { call, enginePath, inputFile, machineLine, Missing, say, secondModel, table } from './programs.mjs';
import { realTexts } from './texts.mjs';

const args = process.argv.slice(2);
const option = (name, otherwise) => (args.includes(name) ? args[args.indexOf(name) + 1] : otherwise);
const ROUNDS = Number(option('--rounds', '3'));

const chat = (text) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;

function prompts() {
  const texts = realTexts(4) ?? [];
  const passages = texts.slice(0, 3).map(({ text }) => text.slice(2000, 3200));
  if (passages.length === 0) throw new Missing('expected real texts to quote from, found none: set CODICIL_CORPORA');
  return {
    copy: passages.map((passage) => chat(`Repeat the following passage word for word and add nothing.\n\n${passage}`)),
    plain: [
      chat('Write a short story about a lighthouse keeper who learns to paint.'),
      chat('Explain how a bicycle stays upright, in your own words.'),
      chat('Write a Python program that plays tic-tac-toe against itself.'),
    ],
  };
}

async function main() {
  const engine = enginePath();
  const model = option('--model') ?? (await secondModel());
  const figures = [];
  let same = true;
  for (const [kind, list] of Object.entries(prompts())) {
    const file = inputFile(`${kind}.json`, list);
    const ratios = [];
    let [rate, drafted, accepted] = [0, 0, 0];
    let expected = null;
    for (let round = 0; round < ROUNDS; round += 1) {
      const seconds = { off: 0, lookup: 0 };
      for (const drafting of ['off', 'lookup', 'lookup', 'off']) {
        say(`${kind}, round ${round + 1} of ${ROUNDS}: ${drafting}`);
        const given = ['generate', '--model', model, '--prompt-file', file, '-n', option('--tokens', '96'), '--top', '1', '--special'];
        const answers = await call(engine, [...given, '--threads', option('--threads', '2'), '--drafting', drafting]);
        const ids = JSON.stringify(answers.map((answer) => answer.ids));
        expected ??= ids;
        same &&= ids === expected;
        for (const answer of answers) seconds[drafting] += answer.decodeSeconds;
        if (drafting === 'off') continue;
        drafted += answers.reduce((sum, answer) => sum + answer.drafted, 0);
        accepted += answers.reduce((sum, answer) => sum + answer.accepted, 0);
        rate = answers.reduce((sum, answer) => sum + answer.ids.length, 0);
      }
      ratios.push(seconds.off / seconds.lookup);
      rate = (2 * rate) / seconds.lookup;
    }
    ratios.sort((a, b) => a - b);
    figures.push({ kind, ratio: { min: ratios[0], median: ratios[ratios.length >> 1], max: ratios.at(-1) }, tokensPerSecond: rate, drafted, accepted });
  }
  if (args.includes('--json')) console.log(JSON.stringify({ machine: machineLine(), same, figures }));
  else {
    console.log(machineLine());
    const row = ({ kind, ratio, tokensPerSecond, drafted, accepted }) => [
      kind,
      ratio.median.toFixed(2),
      `${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)}`,
      tokensPerSecond.toFixed(1),
      String(drafted),
      String(accepted),
    ];
    console.log(table([['prompts', 'times as fast', 'range', 'tok/s with', 'guessed', 'came true'], ...figures.map(row)]));
    console.log(same ? 'The same tokens with and without.' : 'DIFFERENT tokens with and without: a guess changed an answer.');
  }
  process.exitCode = same ? 0 : 1;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.log(`Skipped: ${error.message}`);
}
