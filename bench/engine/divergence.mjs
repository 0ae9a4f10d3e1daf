// KL divergence between two files of logits (bench/peer/FORMATS.md, `logits`): the judge's distribution P against ours Q, position by position.
// Reads row by row: 2,048 rows of a 152K vocabulary are 1.2 GB a side. Sums in f64.

import { closeSync, openSync, readSync } from 'node:fs';

const HEADER_BYTES = 16;

class LogitFile {
  constructor(path) {
    this.path = path;
    this.handle = openSync(path, 'r');
    const header = Buffer.alloc(HEADER_BYTES);
    this.load(header, 0);
    if (header.toString('latin1', 0, 4) !== 'CLG1') throw new Error(`expected the magic CLG1 in ${path}, found other bytes: see bench/peer/FORMATS.md`);
    this.tokens = header.readUInt32LE(4);
    this.vocab = header.readUInt32LE(8);
    this.values = new Float32Array(this.vocab); // [vocab], one row at a time
  }

  load(target, position) {
    let got = 0;
    while (got < target.byteLength) {
      const n = readSync(this.handle, target, got, target.byteLength - got, position + got);
      if (n === 0) throw new Error(`expected ${target.byteLength} bytes at ${position} of ${this.path}, found ${got}: the file is cut`);
      got += n;
    }
  }

  row(i) {
    this.load(new Uint8Array(this.values.buffer), HEADER_BYTES + i * this.vocab * 4);
    return this.values;
  }

  close() {
    closeSync(this.handle);
  }
}

/** Index of the best value and the logarithm of the sum of exponentials. */
function summary(values) {
  let best = 0;
  for (let i = 1; i < values.length; i += 1) if (values[i] > values[best]) best = i;
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += Math.exp(values[i] - values[best]);
  return { best, logSum: values[best] + Math.log(sum) };
}

/** `{tokens, mean, median, largest, sameBest, perplexity, perplexityOurs}` of two logit files over the same `ids`. A NaN anywhere makes the mean NaN, which passes no limit. */
export function compareLogits(judgePath, oursPath, ids) {
  const judge = new LogitFile(judgePath);
  const ours = new LogitFile(oursPath);
  if (judge.tokens !== ours.tokens || judge.vocab !== ours.vocab) {
    throw new Error(
      `expected ${judge.tokens} x ${judge.vocab} logits as the judge gives, found ${ours.tokens} x ${ours.vocab} in ${oursPath}: ask both for the same tokens`,
    );
  }
  const divergences = [];
  let same = 0;
  let nll = 0;
  let nllOurs = 0;
  for (let i = 0; i < judge.tokens; i += 1) {
    const p = judge.row(i);
    const q = ours.row(i);
    const a = summary(p);
    const b = summary(q);
    let sum = 0;
    for (let k = 0; k < p.length; k += 1) {
      const logP = p[k] - a.logSum;
      if (logP < -40) continue; // e^-40 x any gap that occurs is below 1e-15
      sum += Math.exp(logP) * (logP - (q[k] - b.logSum));
    }
    divergences.push(sum);
    if (a.best === b.best) same += 1;
    if (i + 1 < judge.tokens) {
      nll += a.logSum - p[ids[i + 1]];
      nllOurs += b.logSum - q[ids[i + 1]];
    }
  }
  judge.close();
  ours.close();
  const count = divergences.length;
  const sorted = divergences.toSorted((x, y) => x - y);
  return {
    tokens: count,
    mean: divergences.reduce((sum, value) => sum + value, 0) / count,
    median: sorted[Math.floor(count / 2)],
    largest: sorted[count - 1],
    sameBest: same / count,
    perplexity: Math.exp(nll / (count - 1)),
    perplexityOurs: Math.exp(nllOurs / (count - 1)),
  };
}
