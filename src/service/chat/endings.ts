import type { FastifyBaseLogger } from 'fastify'

type Log = Pick<FastifyBaseLogger, 'error'>

/** The ends of holds that wait to be written. */
export type Endings = ReturnType<typeof createEndings>

/** One end of one hold; safe to repeat. */
type End = () => Promise<unknown>

/**
 * Keeps the ends that the database did not take. There are at most as many as there were open
 * requests when it went away; if the process dies too, the crash rule ends the holds.
 */
export function createEndings() {
  const unwritten = new Map<End, Log>()
  return { write, retry }

  /** Writes an end: at once, or if the database is away, at a later `retry()`. Never throws. */
  async function write(end: End, log: Log): Promise<void> {
    try {
      await end()
      unwritten.delete(end)
    } catch (error) {
      const isFirst = !unwritten.has(end)
      if (isFirst) log.error({ err: error }, 'hold not ended yet, will be tried again')
      unwritten.set(end, log)
    }
  }

  /** Tries again what could not be written yet. */
  async function retry(): Promise<void> {
    for (const [end, log] of [...unwritten]) await write(end, log)
  }
}
