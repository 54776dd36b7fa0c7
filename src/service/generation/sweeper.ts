import type { FastifyBaseLogger } from 'fastify'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Tasks } from './tasks.ts'

const SWEEP_INTERVAL_MS = 10_000
/** Tasks sent in one sweep; the next goes on behind them. */
const SWEEP_TASKS_MAX = 500

export interface SweeperDeps {
  tasks: Pick<Tasks, 'findLeaseless'>
  jobs: Pick<Jobs, 'send'>
  log: Pick<FastifyBaseLogger, 'error'>
}

/**
 * Finds tasks that nobody drives and has them looked at: those of a process that died, and those whose
 * job was never sent. One that merely waits between two looks has its job already, which then serves.
 */
export function createSweeper({ tasks, jobs, log }: SweeperDeps) {
  let afterId = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  return { start, stop, sweep }

  /** Sweeps everything once, then a part every 10 s. */
  async function start(): Promise<void> {
    while (await sweep());
    timer = setInterval(() => {
      running = running.then(sweepQuietly)
    }, SWEEP_INTERVAL_MS)
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await running
  }

  /** @returns Whether there may be more behind what was swept. */
  async function sweep(): Promise<boolean> {
    const ids = await tasks.findLeaseless({ afterId, limit: SWEEP_TASKS_MAX })
    for (const id of ids) await jobs.send('generation', String(id))
    const isFull = ids.length === SWEEP_TASKS_MAX
    afterId = isFull ? (ids.at(-1) ?? 0) : 0
    return isFull
  }

  async function sweepQuietly(): Promise<void> {
    try {
      await sweep()
    } catch (error) {
      log.error({ err: error }, 'tasks not swept, tried again later')
    }
  }
}
