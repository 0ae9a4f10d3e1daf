import { defineConfig } from '@playwright/test';

// Two projects over one window: Chromium against `codicil serve`, and the desktop app in a real Electron (tools/test.mjs finds both).
// Screenshots are kept under build/screenshots as artefacts of every run.
export default defineConfig({
  testDir: '.',
  outputDir: '../build/e2e',
  timeout: 180_000,
  expect: { timeout: 60_000 },
  workers: 1,
  retries: 0,
  forbidOnly: true,
  reporter: [['list'], ['json', { outputFile: process.env['CODICIL_RESULTS'] ?? '../build/results/e2e.json' }]],
  projects: [
    { name: 'browser', testMatch: ['browser.spec.ts', 'viewer.spec.ts', 'scan.spec.ts'] },
    { name: 'desktop', testMatch: 'desktop.spec.ts' },
  ],
});
