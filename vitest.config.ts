import { defineConfig } from 'vitest/config'

export default defineConfig({
  // What runs in tests is what runs for users: libraries with a slower build for developers are not taken at it.
  ssr: { resolve: { conditions: ['node', 'module-sync'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/database/global-setup.ts'],
    // Tests wait for processes and the database more than they compute.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, the default, is short on a machine that does something else as well.
    expect: { poll: { timeout: 20_000 } },
  },
})
