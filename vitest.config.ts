import { defineConfig, type Plugin } from 'vitest/config'

/**
 * What runs in tests is what runs for users: of libraries with a slower build for developers the other
 * one. A plugin says so, since Vitest adds `development` to the conditions that a config names.
 */
const asUsersRun: Plugin = {
  name: 'as-users-run',
  configEnvironment: (_name, { resolve }) => {
    if (resolve !== undefined) resolve.conditions = ['node', 'module-sync']
  },
}

export default defineConfig({
  plugins: [asUsersRun],
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
