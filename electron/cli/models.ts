// `codicil models`: which models are on this machine, what they are, and why one cannot be used.
import { EXIT, UsageError, type Command } from './command.ts';
import { clean, clip, formatBytes, formatNumber, wrap } from './terminal.ts';

export const models: Command = {
  name: 'models',
  usage: '[--use <gguf> | --use none]',
  about: 'Shows the Reader that ships and the GGUF files in the folders of the Hugging Face cache, LM Studio and Ollama. Nothing is downloaded.',
  options: { use: { value: 'GGUF', help: 'Make this file the Writer from now on; "none" goes back to the Reader alone' } },
  examples: [
    ['codicil models', 'All models with size, context and licence'],
    ['codicil models --use ~/models/qwen3-4b-q4_0.gguf', 'Let this model phrase answers'],
  ],
  run: async (session) => {
    if (session.args.positionals.length > 0) throw new UsageError('models takes no argument; to choose a Writer use --use.', 'codicil models --help');
    const { handlers } = session.workspace();
    const use = session.args.text('use');
    const { models: found } = use === undefined ? await handlers['model.list']({}) : await handlers['model.choose']({ path: use === 'none' ? null : use });
    if (session.json) {
      session.printJson({ models: found });
      return EXIT.ok;
    }
    const { terminal } = session;
    const room = Math.max(16, terminal.width - 50);
    const head = ['role', 'name', 'kind', 'size', 'context', 'licence'].map(terminal.dim);
    const rows = found.map((entry) => [
      entry.failure ? terminal.yellow('!') : entry.role === 'none' ? terminal.dim('-') : entry.role,
      clip(clean(entry.name), room),
      entry.architecture || terminal.dim('?'),
      formatBytes(entry.bytes),
      entry.contextTokens > 0 ? formatNumber(entry.contextTokens) : '',
      clip(clean(entry.license), 16),
    ]);
    terminal.table([head, ...rows], new Set([3, 4]));
    terminal.print();
    for (const entry of found) {
      terminal.print(terminal.dim(entry.path));
      if (entry.failure) terminal.print(wrap(`${terminal.yellow('!')} ${clean(entry.failure.message)}`, terminal.width, '  ', 4));
    }
    return EXIT.ok;
  },
};
