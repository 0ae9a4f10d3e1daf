// `codicil plan`: what a model would need at several context lengths and how fast it would be, before a byte of it is loaded.
import type { Plan } from '../../core/contract/engine.ts';
import { shippedReaderPath } from '../workspace/models.ts';
import { EXIT, UsageError, type Command } from './command.ts';
import type { Terminal } from './terminal.ts';
import { formatBytes, formatNumber, wrap } from './terminal.ts';

/** The lengths that the picker of the window shows too. */
const CONTEXTS = [8192, 32_768, 131_072, 262_144] as const;
/** What the tags of a plan mean to somebody who sees them for the first time, in the order in which they are shown. */
const TAGS: Readonly<Record<string, string>> = {
  trunk: 'weights that every token uses',
  experts: 'experts, of which a token uses a few',
  layers: 'layers that are read again in every pass',
  kv: 'what was read: keys and values of the context',
  state: 'recurrent states',
  scratch: 'room for computing',
  program: 'tokenizer and program',
};
const TIERS: Readonly<Record<string, string>> = { ram: 'memory', ssd: 'disk' };

export const plan: Command = {
  name: 'plan',
  usage: '[<gguf>]',
  about: 'Computes memory and speed from the geometry of the file and a short measurement of this machine. Without a file: the Reader.',
  options: {
    context: { value: 'TOKENS', help: 'Context length to plan for; may be given several times', multiple: true },
    'ram-budget': { value: 'SIZE', help: 'Memory for all of it (8G); weights that do not fit are streamed from the disk' },
  },
  examples: [
    ['codicil plan ~/models/qwen3-8b-q4_k_m.gguf', 'At 8K, 32K, 128K and 256K tokens'],
    ['codicil plan model.gguf --context 65536 --json', 'At one length, as JSON'],
    ['codicil plan big.gguf --context 32k --ram-budget 8G', 'What would be streamed, and how fast'],
  ],
  run: async (session) => {
    const { positionals } = session.args;
    if (positionals.length > 1) throw new UsageError(`plan takes one model file; ${positionals.length} given.`, 'codicil plan --help');
    const file = positionals[0] ?? session.args.text('model') ?? shippedReaderPath();
    const wanted = session.args.texts('context').map(contextOf);
    const budget = session.args.size('ram-budget');
    const options = budget === undefined ? {} : { memoryBudgetBytes: budget };
    const { engines } = session.workspace();
    const info = await engines.engine().inspect(file);
    const lengths = wanted.length > 0 ? wanted : CONTEXTS.filter((context) => context <= info.contextTokens);
    const plans: Plan[] = [];
    for (const contextTokens of lengths.length > 0 ? lengths : [info.contextTokens]) plans.push(await engines.plan(file, { contextTokens, ...options }));
    if (session.json) session.printJson({ model: info, plans });
    else {
      const { terminal } = session;
      terminal.print(
        `${terminal.bold(info.name)}  ${terminal.dim(`${info.architecture} · ${info.fileType} · ${formatNumber(info.parameters / 1e6)} M parameters · context ${formatNumber(info.contextTokens)}`)}\n`,
      );
      printLengths(terminal, plans);
      printParts(terminal, plans.at(-1)!);
    }
    return plans.some((entry) => entry.fits) ? EXIT.ok : EXIT.failed;
  },
};

const DRAFTING: Record<Plan['drafting'], string> = {
  off: 'no',
  lookup: 'from the text before them',
  mtp: "from the text before them, and by the model's own head",
};

/** One line for each length: how much, and how fast. */
function printLengths(terminal: Terminal, plans: readonly Plan[]): void {
  const head = ['context', 'of it input', 'memory', 'keys and values', 'disk', 'reads tok/s', 'answers tok/s', 'when full', ''].map(terminal.dim);
  const rows = plans.map((entry) => [
    formatNumber(entry.contextTokens),
    formatNumber(entry.inputTokens),
    formatBytes(entry.usedBytes),
    entry.kvFormat,
    entry.streamedBytes > 0 ? formatBytes(entry.streamedBytes) : '-',
    formatSpeed(entry.prefill.tokensPerSecond),
    formatSpeed(entry.decode.tokensPerSecond),
    formatSpeed(entry.decodeFull.tokensPerSecond),
    entry.fits ? terminal.green('✓ fits') : terminal.red('✗ does not fit'),
  ]);
  terminal.table([head, ...rows], new Set([0, 1, 2, 4, 5, 6, 7]));
}

/** Where the memory of one plan goes, and what its speed hangs on. */
function printParts(terminal: Terminal, entry: Plan): void {
  terminal.print(`\nAt ${formatNumber(entry.contextTokens)} tokens:`);
  terminal.table(
    Object.keys(TAGS).flatMap((tag) =>
      entry.parts.filter((part) => part.tag === tag).map((part) => [formatBytes(part.bytes), TIERS[part.tier] ?? part.tier, TAGS[tag]!]),
    ),
    new Set([0]),
  );
  const hits = entry.streamedBytesPerToken > 0 ? `A token reads ${formatBytes(entry.streamedBytesPerToken)} from the disk.` : '';
  const lines = [
    `Reading documents: ${entry.prefill.bottleneck}`,
    `Answering: ${entry.decode.bottleneck} ${hits}`.trim(),
    `Answering when full: ${entry.decodeFull.bottleneck}`,
    `Guessing tokens, as far as it pays: ${DRAFTING[entry.drafting]}.`,
    `${formatBytes(entry.availableBytes)} may be used; up to ${formatNumber(entry.largestContextTokens)} tokens fit. Speeds from measurements of ${entry.measuredOn}.`,
  ];
  terminal.print();
  if (entry.advice !== '') terminal.print(wrap(terminal.red(entry.advice), terminal.width));
  for (const line of lines) terminal.print(wrap(terminal.dim(line), terminal.width));
}

const formatSpeed = (tokensPerSecond: number): string => (tokensPerSecond >= 10 ? formatNumber(tokensPerSecond) : tokensPerSecond.toFixed(1));

function contextOf(text: string): number {
  const value = /^\d+[kK]$/.test(text) ? Number(text.slice(0, -1)) * 1024 : Number(text);
  if (!Number.isInteger(value) || value < 16 || value > 1 << 24)
    throw new UsageError(`--context takes a number of tokens (32768 or 32k); "${text}" was given.`, 'codicil plan --help');
  return value;
}
