import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'

/**
 * Tests load the same builds of libraries as users do: without this plugin Vitest adds the condition
 * `development`, which selects slower builds.
 */
const productionBuilds: Plugin = {
  name: 'production-builds',
  configEnvironment: (_name, { resolve }) => {
    if (resolve !== undefined) resolve.conditions = ['node', 'module-sync']
  },
}

/** `npm test`: the first tier. It needs no browser and no system packages. `vitest.slow.config.ts` is the second tier. */
export default defineConfig({
  plugins: [productionBuilds],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/slow/**', 'test/conformance/**'],
    globalSetup: ['test/platform/database/global-setup.ts'],
    setupFiles: ['test/platform/database/drop-databases.ts'],
    // Loading the program again for each file took a third of the whole time.
    isolate: false,
    // Programs that tests start reuse compiled code, which halves their start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/kopeck') },
    // Tests wait for processes and the database more than they compute.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
