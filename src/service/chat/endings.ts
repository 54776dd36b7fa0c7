/** Ends of holds, written until they are. */
export interface Endings {
  /** Writes an end: at once, or if the database is away, at a later `retry()`. Never throws. */
  write(end: End): Promise<void>
  /** Tries again what could not be written yet. */
  retry(): Promise<void>
}

/** One end of one hold; safe to repeat. @returns Whether it was this call that ended it. */
type End = () => Promise<boolean>

/**
 * Keeps the ends that the database did not take. There are at most as many as there were open
 * requests when it went away; if the process dies too, the crash rule ends the holds.
 */
export function createEndings({ onError }: { onError: (error: Error) => void }): Endings {
  const unwritten = new Set<End>()
  return { write, retry }

  async function write(end: End): Promise<void> {
    try {
      await end()
      unwritten.delete(end)
    } catch (error) {
      onError(error as Error)
      unwritten.add(end)
    }
  }

  async function retry(): Promise<void> {
    for (const end of [...unwritten]) await write(end)
  }
}
