import { describe, expect, it } from 'vitest';
import { slowedWords } from './slowed.ts';

describe('what slows reading down', () => {
  it('is said in words', () => {
    expect(slowedWords('cpu_celsius 91.4')).toBe('CPU 91 °C');
    expect(slowedWords('missing_clock_percent 13.0')).toBe('CPU clock 13 % low');
    expect(slowedWords('gpu_celsius_over_limit -4.0')).toBe('GPU hot');
  });

  it('stands as it came where it is not known', () => expect(slowedWords('fan_percent 10.0')).toBe('fan_percent 10.0'));
});
