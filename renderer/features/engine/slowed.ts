/** Readings that the engine's governor judges (native/device/governor.cc), as a person reads them. */
const WORDS: Readonly<Record<string, (value: string) => string>> = {
  cpu_celsius: (value) => `CPU ${value} °C`,
  missing_clock_percent: (value) => `CPU clock ${value} % low`,
  memory_some_percent: () => 'memory short',
  gpu_celsius_over_limit: () => 'GPU hot',
  gpu_throttled: () => 'GPU throttled',
};

/** What slows reading down, in a few words; a reading of a newer engine stands as it came. */
export function slowedWords(reason: string): string {
  const [name = '', value = ''] = reason.split(' ');
  return WORDS[name]?.(String(Math.round(Number(value)))) ?? reason;
}
