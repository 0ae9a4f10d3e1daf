// `codicil plan`: what a model would need at several context lengths, before a byte of it is loaded.
import type { Plan } from '../../core/contract/engine.ts';
import { shippedReaderPath } from '../workspace/models.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import { formatBytes, formatNumber, wrap } from './terminal.ts';

/** The lengths that the picker of the window shows too. */
const CONTEXTS = [8192, 32_768, 131_072, 262_144] as const;

export const plan: Command = {
  name: 'plan',
  usage: '[<gguf>]',
  about: 'Computes weights, key-value memory and scratch from the geometry of the file. Without a file: the Reader.',
  options: { context: { value: 'TOKENS', help: 'Context length to plan for; may be given several times', multiple: true } },
  examples: [
    ['codicil plan ~/models/qwen3-8b-q4_k_m.gguf', 'At 8K, 32K, 128K and 256K tokens'],
    ['codicil plan model.gguf --context 65536 --json', 'At one length, as JSON'],
  ],
  run: async (session) => {
    const { positionals } = session.args;
    if (positionals.length > 1) throw new UsageError(`plan takes one model file; ${positionals.length} given.`, 'codicil plan --help');
    const file = positionals[0] ?? session.args.text('model') ?? shippedReaderPath();
    const wanted = session.args.texts('context').map(contextOf);
    const engine = session.workspace().engines.engine();
    const info = await engine.inspect(file);
    const lengths = wanted.length > 0 ? wanted : CONTEXTS.filter((context) => context <= info.contextTokens);
    const plans: Plan[] = [];
    for (const contextTokens of lengths.length > 0 ? lengths : [info.contextTokens]) plans.push(await engine.plan(file, { contextTokens }));
    if (session.json) session.printJson({ model: info, plans });
    else {
      const { terminal } = session;
      terminal.print(
        `${terminal.bold(info.name)}  ${terminal.dim(`${info.architecture} · ${info.fileType} · ${formatNumber(info.parameters / 1e6)} M parameters · context ${formatNumber(info.contextTokens)}`)}\n`,
      );
      const head = ['context', 'weights', 'key-value', 'scratch', 'together', ''].map(terminal.dim);
      const rows = plans.map((entry) => [
        formatNumber(entry.contextTokens),
        formatBytes(entry.weightBytes),
        formatBytes(entry.kvBytes),
        formatBytes(entry.scratchBytes),
        formatBytes(entry.weightBytes + entry.kvBytes + entry.scratchBytes),
        entry.fits ? terminal.green('✓ fits') : terminal.red('✗ does not fit'),
      ]);
      terminal.table([head, ...rows], new Set([0, 1, 2, 3, 4]));
      const last = plans.at(-1)!;
      terminal.print();
      terminal.print(
        wrap(
          terminal.dim(`${formatBytes(last.availableBytes)} available · up to ${formatNumber(last.largestContextTokens)} tokens fit · ${last.bottleneck}`),
          terminal.width,
        ),
      );
    }
    return plans.some((entry) => entry.fits) ? EXIT.ok : EXIT.failed;
  },
};

function contextOf(text: string): number {
  const value = /^\d+[kK]$/.test(text) ? Number(text.slice(0, -1)) * 1024 : Number(text);
  if (!Number.isInteger(value) || value < 16 || value > 1 << 24)
    throw new UsageError(`--context takes a number of tokens (32768 or 32k); "${text}" was given.`, 'codicil plan --help');
  return value;
}
