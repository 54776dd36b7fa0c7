import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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

/** Where a file takes half a minute, the longest first. */
const LONG = [
  '/test/e2e/',
  '/test/growth/',
  '/test/bot/talk/reply/',
  '/test/bot/media/',
  '/inbox/',
  '/test/platform/database/',
]

/**
 * Has the long files begin first, so that the end of a run does not wait for one of them: Vitest knows
 * how long each took only where it has run before, and a clean clone goes by their size.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONG.findIndex((part) => moduleId.includes(part))
      return index === -1 ? LONG.length : index
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  plugins: [asUsersRun],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/foreign/**'],
    globalSetup: ['test/platform/database/global-setup.ts'],
    setupFiles: ['test/platform/database/drop-databases.ts'],
    // Files share a worker and what it has loaded: to load the program again for each took a third of all time.
    isolate: false,
    // Commands and programs that tests start take no types out of the same sources again: half the time of a start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/kopeck') },
    // Tests wait for processes and the database more than they compute.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, the default, is short on a machine that does something else as well.
    expect: { poll: { timeout: 20_000 } },
  },
})
