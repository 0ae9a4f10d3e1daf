// The engine's state and figures, pushed once a second. A figure that the machine does not give is null, never 0.
import { z } from 'zod';

export const EngineStateSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('starting') }),
  z.object({ state: z.literal('ready') }),
  z.object({ state: z.literal('busy') }),
  z.object({ state: z.literal('down'), reason: z.string() }),
]);
export type EngineState = z.infer<typeof EngineStateSchema>;

export const StatsSchema = z
  .object({
    engine: EngineStateSchema,
    reader: z.string().nullable(),
    writer: z.string().nullable(),
    instructionSet: z.string(),
    threads: z.number(),
    contextTokens: z.number(),
    contextUsed: z.number(),
    prefillTokensPerSecond: z.number(),
    decodeTokensPerSecond: z.number(),
    residentBytes: z.number(),
    weightBytes: z.number(),
    kvBytes: z.number(),
    kvBudgetBytes: z.number(),
    /** What is kept on disk of what was read. */
    storeBytes: z.number(),
    storeBudgetBytes: z.number(),
    memoryTotalBytes: z.number(),
    memoryFreeBytes: z.number(),
    cpuCelsius: z.number().nullable(),
    cpuMhz: z.number().nullable(),
    /** Of the last ten seconds in which work waited for memory. */
    memoryPressurePercent: z.number().nullable(),
    diskFreeBytes: z.number().nullable(),
    diskFreeInodes: z.number().nullable(),
    /** Of the last answer; null: none yet. */
    firstTokenMs: z.number().nullable(),
    /** Why reading is slowed or paused now; null: it is not. */
    slowedBy: z.string().nullable(),
    gpu: z.object({ name: z.string(), vramUsedBytes: z.number().nullable(), vramTotalBytes: z.number().nullable(), celsius: z.number().nullable() }).nullable(),
  })
  .readonly();
export type Stats = z.infer<typeof StatsSchema>;
