// A bench that claims: every claim is said as it is found, all stand in a table (--json: a list) at the end, and one that fails makes exit code 1.

import { Missing, say, table } from './programs.mjs';

const claims = [];

export function claim(name, pass, found) {
  claims.push({ claim: name, pass, found });
  say(`${pass ? 'ok  ' : 'FAIL'} ${name}: ${found}`);
}

/** Runs `work`, which claims; what this machine lacks ends it with its sentence. Then prints. */
export async function reportClaims(work, asJson) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
  if (asJson) process.stdout.write(`${JSON.stringify(claims, null, 2)}\n`);
  else process.stdout.write(`${table([['claim', 'found', ''], ...claims.map(({ claim: name, found, pass }) => [name, found, pass ? 'ok' : 'FAIL'])])}\n`);
  if (claims.some(({ pass }) => !pass)) process.exitCode = 1;
}
