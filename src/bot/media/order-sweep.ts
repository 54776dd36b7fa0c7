import type { Logger } from 'pino'
import type { Jobs } from '../../jobs/jobs.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { OrderStore } from './order-store.ts'

/** Every so many sweeps all orders are sent to their queues: a job may have died with its process. */
const WHOLE_SWEEP_EVERY = 6

export interface OrderSweepDeps {
  store: Pick<OrderStore, 'unended'>
  jobs: Pick<Jobs, 'send'>
  sweepMs: number
  log: Logger
}

/** Sends orders that a process left behind to their queues: at the start all, then from time to time. */
export function createOrderSweep({ store, jobs, sweepMs, log }: OrderSweepDeps) {
  let sweeper: NodeJS.Timeout | undefined
  let sweeps = 0
  return { start, stop: () => clearInterval(sweeper) }

  async function start(): Promise<void> {
    await sendAgain({ orphaned: false })
    sweeper = setInterval(sweep, sweepMs)
  }

  function sweep(): void {
    const isWhole = ++sweeps % WHOLE_SWEEP_EVERY === 0
    sendAgain({ orphaned: !isWhole }).catch((error) => {
      log.error(errorFacts(error), 'cannot look for orders left behind')
    })
  }

  async function sendAgain(which: { orphaned: boolean }): Promise<void> {
    for (const { id, state } of await store.unended(which)) {
      const isEnding = state === 'ready' || state === 'failed'
      await jobs.send(isEnding ? 'order-deliver' : 'order-poll', String(id))
    }
  }
}
