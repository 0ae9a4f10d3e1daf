// The closed list of error codes and the sentence each one means to a person.
// Owns: codes and their sentences. `native/base/status.h` mirrors the list; core/contract/errors.test.ts compares the two.
// Rule: a message says what was expected, what was found and what to do; across a process an error is data (`Failure`).
import { z } from 'zod';

export const ERROR_SENTENCES = {
  invalid_request: 'The request has no meaning as it was put.',
  not_found: 'Something that was named is not there.',
  cancelled: 'It was stopped before it was done.',
  unsupported_format: 'Files of this kind are not read.',
  corrupt_file: 'The file breaks the rules of its own format.',
  encrypted: 'The file is protected and needs its password.',
  empty_file: 'The file has nothing in it.',
  too_large: 'The file is over a limit that protects this machine.',
  timeout: 'It took longer than the limit allows.',
  no_text: 'The file can be opened but holds no readable text.',
  model_invalid: 'The model file is damaged or contradicts itself.',
  model_unsupported: 'The model is sound, but of a kind this engine does not run.',
  does_not_fit: 'It does not fit the memory or the context of this machine.',
  context_full: 'The conversation has no room for more text.',
  out_of_memory: 'The system refused more memory.',
  engine_down: 'The engine process ended; it is started again.',
  version_mismatch: 'Two parts of the program, or a stored file, have different versions.',
  no_documents: 'There is no readable document to work on.',
  io_failed: 'The system refused to read or write a file.',
  internal: 'A fault in the program itself.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof ERROR_SENTENCES;

const codes = Object.keys(ERROR_SENTENCES) as [ErrorCode, ...ErrorCode[]];
export const ErrorCodeSchema = z.enum(codes);

export const FailureSchema = z.object({
  code: ErrorCodeSchema,
  /** What was expected, what was found, what to do. */
  message: z.string(),
});
export type Failure = z.infer<typeof FailureSchema>;

/** The one exception class of the program: a failure with a code on its way to a border, where it becomes data. */
export class CodicilError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CodicilError';
    this.code = code;
  }
}

/** Any thrown value as data; what is not ours is a fault of the program and says so. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof CodicilError) return { code: thrown.code, message: thrown.message };
  const code = ErrorCodeSchema.safeParse((thrown as { code?: unknown } | null)?.code);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: code.success ? code.data : 'internal', message };
}
