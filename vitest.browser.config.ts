import { defineConfig } from 'vitest/config'

/** `npm run test:browser`: what needs a browser, which a fresh machine with Node and npm does not have. */
export default defineConfig({
  test: {
    include: ['test/**/*.browser.ts'],
    globalSetup: ['test/platform/database/global-setup.ts'],
    setupFiles: ['test/platform/database/drop-databases.ts'],
    // As in vitest.config.ts.
    isolate: false,
    // A browser has processes of its own; the whole program, which most tests wait for, has one more.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
