import { mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** `npm run test:foreign`: clients and checkers that are not ours, unchanged. Their packages are in `test/foreign`. */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [], exclude: [] } },
  { test: { include: ['test/foreign/*.test.ts'], exclude: ['**/node_modules/**'] } },
)
