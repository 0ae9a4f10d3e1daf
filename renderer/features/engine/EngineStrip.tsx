// The strip at the bottom: what the engine is doing and what it costs. A figure that the machine does not give is left out, never shown as 0.
import type { Stats } from '../../../core/contract/stats.ts';
import { useStore } from '../../store/store.ts';
import { bytes, duration, tokens } from '../../ui/format.ts';
import css from './EngineStrip.module.css';
import { Meter } from './Meter.tsx';
import { ModelPicker } from './ModelPicker.tsx';
import { slowedWords } from './slowed.ts';

const WORDS = { starting: 'Starting', ready: 'Ready', busy: 'Working', down: 'Stopped' } as const;

function StateDot() {
  const connection = useStore((state) => state.connection);
  const engine = useStore((state) => state.engine.stats?.engine);
  if (connection.state !== 'open') {
    const text = connection.state === 'closed' ? 'Reconnecting' : 'Connecting';
    return (
      <span className={css['state']} data-state="starting" data-testid="connection" title={connection.state === 'closed' ? connection.reason : undefined}>
        {text}
      </span>
    );
  }
  const state = engine?.state ?? 'starting';
  const reason = engine?.state === 'down' ? engine.reason : undefined;
  return (
    <span className={css['state']} data-state={state} data-testid="engine-state" title={reason}>
      {WORDS[state]}
      {reason !== undefined && <span className={css['reason']}>{reason}</span>}
    </span>
  );
}

function Gpu({ gpu }: { readonly gpu: NonNullable<Stats['gpu']> }) {
  return (
    <>
      {gpu.vramUsedBytes !== null && (
        <Meter
          label="VRAM"
          part={gpu.vramUsedBytes}
          {...(gpu.vramTotalBytes === null ? {} : { whole: gpu.vramTotalBytes })}
          text={bytes(gpu.vramUsedBytes)}
          hint={gpu.name}
        />
      )}
      {gpu.celsius !== null && <Meter label="GPU" text={`${Math.round(gpu.celsius)} °C`} hint={gpu.name} />}
    </>
  );
}

export function EngineStrip() {
  const stats = useStore((state) => state.engine.stats);
  return (
    <footer className={css['strip']} aria-label="Engine" data-testid="engine-strip">
      <div className={css['side']} role="status">
        <StateDot />
        <ModelPicker />
      </div>
      {stats && (
        <div className={css['figures']}>
          {stats.slowedBy !== null && <Meter label="Slowed" text={slowedWords(stats.slowedBy)} hint="Reading waits for the machine; answers do not" />}
          {stats.contextTokens > 0 && (
            <Meter
              label="Context"
              part={stats.contextUsed}
              whole={stats.contextUsed > 0 ? stats.contextTokens : 0}
              text={stats.contextUsed > 0 ? `${tokens(stats.contextUsed)} / ${tokens(stats.contextTokens)}` : tokens(stats.contextTokens)}
            />
          )}
          {stats.prefillTokensPerSecond > 0 && <Meter label="Read" text={`${tokens(stats.prefillTokensPerSecond)} tok/s`} />}
          {stats.decodeTokensPerSecond > 0 && <Meter label="Write" text={`${stats.decodeTokensPerSecond.toFixed(1)} tok/s`} />}
          {stats.kvBudgetBytes > 0 && (
            <Meter label="KV" part={stats.kvBytes} whole={stats.kvBudgetBytes} text={`${bytes(stats.kvBytes)} / ${bytes(stats.kvBudgetBytes)}`} />
          )}
          {stats.storeBudgetBytes > 0 && (
            <Meter
              label="Kept"
              part={stats.storeBytes}
              whole={stats.storeBudgetBytes}
              text={bytes(stats.storeBytes)}
              hint={`${bytes(stats.storeBytes)} of ${bytes(stats.storeBudgetBytes)}: what was read of the documents, so that it is read once. A document's share is deleted with it.`}
            />
          )}
          <Meter
            label="RAM"
            part={stats.memoryTotalBytes - stats.memoryFreeBytes}
            whole={stats.memoryTotalBytes}
            text={stats.residentBytes > 0 ? bytes(stats.residentBytes) : `${bytes(stats.memoryFreeBytes)} free`}
            hint={`${bytes(stats.residentBytes)} held by the engine, ${bytes(stats.memoryFreeBytes)} of ${bytes(stats.memoryTotalBytes)} free`}
          />
          {stats.gpu && <Gpu gpu={stats.gpu} />}
          {stats.cpuCelsius !== null && <Meter label="CPU" text={`${Math.round(stats.cpuCelsius)} °C`} />}
          {stats.firstTokenMs !== null && <Meter label="First" text={duration(stats.firstTokenMs)} hint="From the last question to its first word" />}
          {stats.diskFreeBytes !== null && (
            <Meter
              label="Disk"
              text={`${bytes(stats.diskFreeBytes)} free`}
              hint={stats.diskFreeInodes === null ? 'Room for what was read' : `Room for what was read; ${tokens(stats.diskFreeInodes)} more files`}
            />
          )}
          {stats.instructionSet !== '' && (
            <Meter label="" text={`${stats.threads} × ${stats.instructionSet.toUpperCase()}`} hint="Threads and instruction set" />
          )}
        </div>
      )}
    </footer>
  );
}
