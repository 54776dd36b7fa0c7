import type { Logger } from 'pino'
import { isDataRefusal } from '../../../platform/database/trouble.ts'
import { backoffMs, type RetryOptions, retry } from '../../../platform/time/retry.ts'
import { errorFacts } from '../error-facts.ts'

const TRIES_MAX = 5
/** All tries together take less time than Telegram waits for a webhook's answer. */
const BACKOFF = { firstMs: 250, maxMs: 1_000 }

/** The outcome of a step: a value that it gave, or why the database will not take its data. */
export type Tried<T> = { value: T; refusal?: never } | { value?: never; refusal: Error }

/**
 * Takes a step with data that the database may refuse: what it refuses five times, it refuses for ever.
 *
 * @throws What else goes wrong, at once; the signal's reason if it aborted.
 */
export async function tryData<T>(
  step: () => Promise<T>,
  { clock, signal }: Pick<RetryOptions, 'clock' | 'signal'>,
): Promise<Tried<T>> {
  try {
    return { value: await retry(step, { clock, signal, delayAfter }) }
  } catch (error) {
    if (!isDataRefusal(error)) throw error
    return { refusal: error as Error }
  }

  function delayAfter(error: unknown, attempts: number): number | undefined {
    return isDataRefusal(error) && attempts < TRIES_MAX ? backoffMs(BACKOFF, attempts) : undefined
  }
}

/** Logs that an update is left as it is, so that those after it go on. */
export function logSetAside(log: Logger, updateId: number, error: unknown): void {
  log.error({ ...errorFacts(error), updateId }, 'update set aside: the database cannot take it')
}
