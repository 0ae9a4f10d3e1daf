import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['native/**/*.test.ts', 'core/**/*.test.ts', 'electron/**/*.test.ts', 'renderer/**/*.test.ts', 'tools/**/*.test.ts'],
    // Two workers: tests that start the engine want a core of their own.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
