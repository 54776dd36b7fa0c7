import { setTimeout as delay } from 'node:timers/promises'

/** What clients of one address got, in the order in which they asked. */
export interface LoadReport {
  whole: number
  failures: string[]
}

/** One request, from its first byte to its last. @returns What was wrong with its answer, if something was. */
export type AskOnce = (index: number) => Promise<string | undefined>

/**
 * Asks at an even pace, however long answers take, until it is told to stop.
 *
 * @param everyMs The time between two requests.
 */
export function startLoad(ask: AskOnce, everyMs: number) {
  const stopping = new AbortController()
  const asked: Promise<string | undefined>[] = []
  const asking = run()
  return { stop, asked: () => asked.length }

  async function run(): Promise<void> {
    const beganMs = performance.now()
    while (!stopping.signal.aborted) {
      asked.push(ask(asked.length).catch((error: Error) => describe(error)))
      await delay(Math.max(0, beganMs + asked.length * everyMs - performance.now()))
    }
  }

  async function stop(): Promise<LoadReport> {
    stopping.abort()
    await asking
    const ends = await Promise.all(asked)
    const failures = ends.filter((end) => end !== undefined)
    return { whole: ends.length - failures.length, failures }
  }
}

function describe(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  return code ?? message
}
