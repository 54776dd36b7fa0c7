import { defineConfig } from 'vitest/config'

/** `npm run conformance -- URL KEY`: the checks of the interface against a service that runs elsewhere. */
export default defineConfig({
  test: {
    include: ['test/conformance/*.test.ts'],
    exclude: ['test/conformance/wrong-services.test.ts'],
    reporters: ['verbose'],
    // One account pays, so its balance is observed by one check at a time.
    isolate: false,
    maxWorkers: 1,
    // A video takes up to 15 minutes.
    testTimeout: 30 * 60_000,
  },
})
