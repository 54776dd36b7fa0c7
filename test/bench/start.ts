import { setTimeout as delay } from 'node:timers/promises'
import { type Part, readMemory } from './bench.ts'
import { startTelegram } from './bot.ts'

/** Longer than everything that a process does once after its start. */
const SETTLE_MS = 12_000

/** All roles in one process with the embedded database. */
export const start: Part = {
  about: `All roles with the embedded database. Cold: empty DATA_DIR and no compiled code. Warm: the same again. At rest: ${SETTLE_MS / 1_000} s after ready.`,
  async open(bench, { root }) {
    const telegram = await startTelegram(bench)
    return async () => {
      const env = {
        ...telegram.env,
        DATA_DIR: await bench.makeFolder(),
        NODE_COMPILE_CACHE: await bench.makeFolder(),
      }
      const cold = await startTimed()
      await cold.program.stop()
      const warm = await startTimed()
      await delay(SETTLE_MS, undefined, { signal: bench.signal })
      const { rssBytes } = await readMemory(warm.program.pid)
      await warm.program.stop()
      return {
        'cold: ms to ready': cold.ms,
        'warm: ms to ready': warm.ms,
        'memory at rest: MiB': rssBytes / 2 ** 20,
      }

      async function startTimed() {
        const startedAt = performance.now()
        const program = await bench.startKopeck(root, [], env)
        return { program, ms: performance.now() - startedAt }
      }
    }
  },
}
