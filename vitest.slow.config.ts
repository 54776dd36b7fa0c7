import { defineConfig, mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

const INSTALL = 'test/slow/install/**/*.test.ts'

/**
 * `npm run test:slow`: the second tier. Processes and faults, browsers, foreign clients, growth, conformance and
 * installation. Tests that need a missing system package are skipped; `.ci/run` installs all of them.
 */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      // Tests here start programs and browsers, which have processes of their own.
      maxWorkers: 2,
      projects: [
        {
          extends: true,
          test: {
            name: 'slow',
            include: ['test/slow/**/*.test.ts', 'test/conformance/wrong-services.test.ts'],
            exclude: ['**/node_modules/**', INSTALL],
          },
        },
        {
          extends: './vitest.conformance.config.ts',
          test: {
            name: 'conformance',
            // Each worker has its own accounts.
            maxWorkers: 2,
            globalSetup: [
              'test/platform/database/global-setup.ts',
              'test/conformance/own-service.ts',
            ],
          },
        },
        {
          extends: true,
          // An installation replaces files and uses both cores: it runs alone, after all others.
          test: { name: 'install', include: [INSTALL], sequence: { groupOrder: 1 } },
        },
      ],
    },
  }),
)
