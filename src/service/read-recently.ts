import { setTimeout as delay } from 'node:timers/promises'

/** However many ask, the database is read once in so long. */
const READ_INTERVAL_MS = 10_000
const READ_MS_MAX = 2000

/**
 * Makes of a read one for whoever watches: what it gives is at most 10 s old.
 *
 * @throws What `read` throws, and an error after 2 s: a database that is away would hold up every other figure.
 */
export function readRecently<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: { startedMs: number; figures: Promise<T> } | undefined
  return async () => {
    if (reading === undefined || performance.now() - reading.startedMs >= READ_INTERVAL_MS) {
      reading = { startedMs: performance.now(), figures: read() }
    }
    return await Promise.race([reading.figures, giveUp()])
  }
}

async function giveUp(): Promise<never> {
  await delay(READ_MS_MAX, undefined, { ref: false })
  throw new Error('Cannot read figures: the database does not answer')
}
