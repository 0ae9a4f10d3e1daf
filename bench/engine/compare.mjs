// Is our engine right? Puts the same tokens, questions and prompts to ours and to llama.cpp and compares what comes back.
//
//   node bench/engine/compare.mjs [--json] [--fresh] [--quick]
//
// Two models: the Reader (Q4_0) and Qwen2.5-Coder-0.5B (real K-quants). Each is judged twice.
// *As F32* (the same weights, written out by the judge) nothing rounds activations, and two right programs agree closely. Claims: golden answers one by one
// and as one batch, 64 greedy tokens on 10 prompts, with ties of at most 0.1 logit; mean KLD over 2,048 tokens <= 1e-3.
// *As shipped* every kernel rounds activations to 8 bits in its own order, and llama.cpp differs from itself (KLD 4e-3 on the Reader, with or without weight
// repacking): there the claims are tokens equal; golden answers equal or near-ties; ours no further from the judge's F32 than the judge's own kernels are.
// Exit code 1 if a claim fails. --quick: the Reader only; --fresh: ask the judge again instead of taking its kept answers; --json: JSON on stdout, the table on stderr.

import { readFileSync } from 'node:fs';
import { compareLogits } from './divergence.mjs';
import {
  call,
  callJudge,
  enginePath,
  exactCopy,
  inputFile,
  machine,
  machineLine,
  Missing,
  peerPath,
  readerFiles,
  say,
  scratchFile,
  secondModel,
  table,
} from './programs.mjs';
import { ODD_TEXTS, prompts, realTexts } from './texts.mjs';

const args = process.argv.slice(2);
const asJson = args.includes('--json');
const fresh = args.includes('--fresh');
const EXACT_TIE = 0.1;
// Measured on the 60 golden questions as shipped, llama.cpp against itself: with 1 or 4 threads instead of 2 the gap between its two best tokens moves by up to
// 0.43 logit, without weight repacking by up to 1.33 (90 % of steps: 0.30). It then gives other answers at gaps of up to 0.45.
const SHIPPED_TIE = 0.5;
const MAX_MEAN_KLD = 1e-3; // design/engine.md, "Proof"
// Ours may stand this much further from the F32 logits than the judge's own kernels do: one position in 2,048 was seen to make 4 % of the mean.
const MAX_DISTANCE_RATIO = 1.25;
const LOGIT_TOKENS = 2048;

const claims = [];
const skipped = [];

function claim(model, name, pass, found, details = []) {
  claims.push({ model, claim: name, pass, found, details });
  say(`${pass ? 'ok  ' : 'FAIL'} ${model}: ${name}: ${found}`);
}

/** Runs one group of claims; a program that fails is a failed claim, and the other groups still run. */
async function attempt(model, name, work) {
  try {
    await work();
  } catch (error) {
    if (error instanceof Missing) throw error;
    claim(model, name, false, String(error.message).replace(/\s+/g, ' '));
  }
}

/** A figure that claims nothing. */
function note(model, name, found, details = []) {
  claims.push({ model, claim: name, pass: null, found, details });
  say(`note ${model}: ${name}: ${found}`);
}

/** Where two greedy runs part, and how far apart the judge sees the two tokens there. Null if they never do. */
function parting(ours, judge) {
  const length = Math.max(ours.steps.length, judge.steps.length);
  for (let at = 0; at < length; at += 1) {
    const step = judge.steps[at];
    const id = ours.steps[at]?.[0]?.[0];
    if (step === undefined || id === undefined) return { at, gap: Infinity };
    if (step[0][0] === id) continue;
    const seen = step.find(([candidate]) => candidate === id);
    const mine = ours.steps[at];
    const back = mine.find(([candidate]) => candidate === step[0][0]);
    return { at, ours: id, judge: step[0][0], gap: seen ? step[0][1] - seen[1] : Infinity, gapOurs: back ? mine[0][1] - back[1] : Infinity };
  }
  return null;
}

function partingSummary(pairs, tie) {
  const apart = pairs.map(({ name, ours, judge }) => ({ name, ...parting(ours, judge) })).filter(({ gap }) => gap !== undefined);
  const worst = apart.reduce((most, { gap }) => Math.max(most, gap), 0);
  const near = apart.filter(({ gap }) => gap <= tie).length;
  const text =
    apart.length === 0
      ? `${pairs.length} of ${pairs.length} equal`
      : `${pairs.length - apart.length} of ${pairs.length} equal, ${apart.length} part, ${near} of them within ${tie} logit; largest gap ${worst.toFixed(3)}`;
  const details = apart.map(
    ({ name, at, ours, judge, gap, gapOurs }) =>
      `${name}: at token ${at} ours ${ours}, judge ${judge}; gap ${gap.toFixed(3)} (judge), ${(gapOurs ?? Infinity).toFixed(3)} (ours)`,
  );
  return { pass: apart.every(({ gap }) => gap <= tie), text, details };
}

async function tokens(run, texts) {
  const sets = [
    ['20 real texts', texts.map(({ text }) => text), []],
    [`${ODD_TEXTS.length} odd strings`, ODD_TEXTS, []],
    [`${ODD_TEXTS.length} odd strings, specials parsed`, ODD_TEXTS, ['--special']],
  ];
  for (const [name, list, extra] of sets) {
    const given = ['tokenize', '--model', run.model, '--file', inputFile('texts.json', list), ...extra];
    const judge = await callJudge(run.judge, given, { fresh });
    const ours = await call(run.engine, given);
    const differing = list.flatMap((text, i) =>
      JSON.stringify(ours[i]) === JSON.stringify(judge[i])
        ? []
        : [firstTokenDifference(list === ODD_TEXTS ? JSON.stringify(text.slice(0, 40)) : texts[i].name, ours[i], judge[i])],
    );
    const total = judge.reduce((sum, ids) => sum + ids.length, 0);
    claim(run.name, `tokens of ${name}`, differing.length === 0, `${list.length - differing.length} of ${list.length} equal (${total} tokens)`, differing);
  }
}

function firstTokenDifference(name, ours, judge) {
  const at = judge.findIndex((id, i) => id !== ours[i]);
  const from = at < 0 ? judge.length : at;
  return `${name}: from token ${from} ours ${ours.slice(from, from + 4).join(' ')}, judge ${judge.slice(from, from + 4).join(' ')}`;
}

async function golden(run, file) {
  const given = ['ask', '--model', run.model, '--golden', file];
  const flat = (windows) => windows.flatMap(({ document, questions }) => questions.map((item) => ({ ...item, name: `${document}: ${item.question}` })));
  const written = flat(JSON.parse(readFileSync(file, 'utf8')));
  const judge = flat(await callJudge(run.judge, given, { fresh }));
  const judgeSame = judge.filter(({ answer }, i) => answer === written[i].answer).length;
  for (const [how, extra] of [
    ['one by one', []],
    ['in one batch', ['--batch']],
  ]) {
    const ours = flat(await call(run.engine, [...given, ...extra]));
    if (ours.length !== judge.length) throw new Error(`expected ${judge.length} answers of our engine, found ${ours.length}: see bench/peer/FORMATS.md`);
    const { pass, text, details } = partingSummary(
      ours.map((item, i) => ({ name: item.name, ours: item, judge: judge[i] })),
      run.tie,
    );
    const same = ours.filter(({ answer }, i) => answer === written[i].answer).length;
    claim(run.name, `golden answers, ${String(how)}`, pass, text, [
      `${same} of ${written.length} answers are those of golden.json; the judge itself, here: ${judgeSame}`,
      ...details,
    ]);
  }
}

async function greedy(run, texts) {
  const list = prompts(texts.map(({ text }) => text));
  const given = ['generate', '--model', run.model, '--prompt-file', inputFile('prompts.json', list), '-n', '64', '--top', '5', '--special'];
  const judge = await callJudge(run.judge, given, { fresh });
  const ours = await call(run.engine, given);
  const { pass, text, details } = partingSummary(
    ours.map((item, i) => ({ name: `prompt ${i}`, ours: item, judge: judge[i] })),
    run.tie,
  );
  if (run.exact) claim(run.name, `64 greedy tokens on ${list.length} prompts`, pass, text, details);
  else note(run.name, `64 greedy tokens on ${list.length} prompts`, text, details); // prompts far from what a model knows part by up to 3 logits, in the judge alone too
}

/** Claims on the logits of one model: F32 against F32, then as shipped, each program's distance from the judge's F32. */
async function logits(exact, shipped, texts) {
  const [ids] = await callJudge(
    shipped.judge,
    ['tokenize', '--model', shipped.model, '--file', inputFile('long.json', [texts.map(({ text }) => text).join('\n\n')])],
    { fresh },
  );
  const given = (run) => ['logits', '--model', run.model, '--tokens', inputFile('ids.json', ids.slice(0, LOGIT_TOKENS))];
  const ours = scratchFile('ours.bin');
  const yardstick = await callJudge(exact.judge, given(exact), { fresh, binary: true });
  await call(exact.engine, [...given(exact), '--out', ours]);
  const f32 = compareLogits(yardstick.file, ours, ids);
  claim(exact.name, `mean KLD over ${f32.tokens} tokens <= ${MAX_MEAN_KLD}`, f32.mean <= MAX_MEAN_KLD, divergence(f32), [perplexities(f32)]);
  const judge = await callJudge(shipped.judge, given(shipped), { fresh, binary: true });
  await call(shipped.engine, [...given(shipped), '--out', ours]);
  const oursOff = compareLogits(yardstick.file, ours, ids);
  const judgeOff = compareLogits(yardstick.file, judge.file, ids);
  const ratio = oursOff.mean / judgeOff.mean;
  claim(
    shipped.name,
    `mean KLD from F32 <= ${MAX_DISTANCE_RATIO} x the judge's`,
    ratio <= MAX_DISTANCE_RATIO || oursOff.mean <= MAX_MEAN_KLD,
    `ours ${oursOff.mean.toExponential(2)}, judge ${judgeOff.mean.toExponential(2)}, ratio ${ratio.toFixed(2)}`,
    [`ours: ${divergence(oursOff)}; ${perplexities(oursOff)}`, `judge: ${divergence(judgeOff)}; ${perplexities(judgeOff)}`],
  );
  const direct = compareLogits(judge.file, ours, ids);
  const other = await callJudge(shipped.judge, [...given(shipped), '--no-repack'], { fresh, binary: true });
  note(
    shipped.name,
    'mean KLD, ours from the judge',
    `${divergence(direct)}; the judge from itself without repacking ${compareLogits(judge.file, other.file, ids).mean.toExponential(2)}`,
  );
}

const divergence = ({ mean, median, largest, sameBest }) =>
  `mean ${mean.toExponential(2)}, median ${median.toExponential(2)}, largest ${largest.toExponential(2)}, same best token ${(100 * sameBest).toFixed(2)} %`;
const perplexities = ({ perplexity, perplexityOurs }) => `perplexity ${perplexityOurs.toFixed(4)} against ${perplexity.toFixed(4)}`;

async function main() {
  const engine = enginePath();
  const judge = await peerPath();
  const reader = readerFiles();
  const models = [{ name: 'Reader 135M Q4_0', model: reader.model, golden: reader.golden }];
  if (!args.includes('--quick')) {
    try {
      models.push({ name: 'Qwen2.5-Coder 0.5B Q4_K_M', model: await secondModel() });
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      skipped.push(error.message);
    }
  }
  const real = realTexts();
  if (real === null) skipped.push('expected 20 real texts in CODICIL_CORPORA, found none: the 5 documents of golden.json stand in for them');
  const texts = real ?? JSON.parse(readFileSync(reader.golden, 'utf8')).map(({ document, prefix }) => ({ name: document, text: prefix }));
  for (const about of models) {
    const shipped = { ...about, engine, judge, exact: false, tie: SHIPPED_TIE };
    const exact = { ...shipped, name: about.name.replace(/Q\S+$/, 'as F32'), model: await exactCopy(judge, about.model), exact: true, tie: EXACT_TIE };
    await attempt(shipped.name, 'tokens', () => tokens(shipped, texts));
    for (const run of [exact, shipped]) {
      if (run.golden) await attempt(run.name, 'golden answers', () => golden(run, run.golden));
      await attempt(run.name, 'greedy tokens', () => greedy(run, texts));
    }
    await attempt(about.name, 'logits', () => logits(exact, shipped, texts));
  }
}

const about = machine();
try {
  await main();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  skipped.push(`ALL OF IT: ${error.message}`);
}
const failed = claims.filter(({ pass }) => pass === false);
const claimed = claims.filter(({ pass }) => pass !== null);
const rows = [
  ['model', 'claim', 'holds', 'found'],
  ...claims.map(({ model, claim: name, pass, found }) => [model, name, pass === null ? '-' : pass ? 'yes' : 'NO', found]),
];
const lines = [
  `machine: ${machineLine(about)}`,
  table(rows),
  ...claims.flatMap(({ model, claim: name, details }) => details.map((detail) => `  ${model}, ${name}: ${detail}`)),
  ...skipped.map((reason) => `SKIPPED: ${reason}`),
  `${claimed.length} claims, ${failed.length} failed, ${skipped.length} skipped`,
];
(asJson ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
if (asJson) process.stdout.write(`${JSON.stringify({ machine: about, claims, skipped })}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
