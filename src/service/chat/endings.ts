import type { FastifyBaseLogger } from 'fastify'

type Log = Pick<FastifyBaseLogger, 'error'>

/** Ends of holds, written until they are. */
export interface Endings {
  /** Writes an end: at once, or if the database is away, at a later `retry()`. Never throws. */
  write(end: End, log: Log): Promise<void>
  /** Tries again what could not be written yet. */
  retry(): Promise<void>
}

/** One end of one hold; safe to repeat. */
type End = () => Promise<unknown>

/**
 * Keeps the ends that the database did not take. There are at most as many as there were open
 * requests when it went away; if the process dies too, the crash rule ends the holds.
 */
export function createEndings(): Endings {
  const unwritten = new Map<End, Log>()
  return { write, retry }

  async function write(end: End, log: Log): Promise<void> {
    try {
      await end()
      unwritten.delete(end)
    } catch (error) {
      log.error({ err: error }, 'hold not ended yet, will be tried again')
      unwritten.set(end, log)
    }
  }

  async function retry(): Promise<void> {
    for (const [end, log] of [...unwritten]) await write(end, log)
  }
}
