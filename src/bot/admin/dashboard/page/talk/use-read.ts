import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { type Problem, toProblem } from './request.ts'
import { openings, sendSigned } from './session.ts'

/** The data that was read of a path, and the state of the next reading. */
export interface Read<T> {
  /** The data of the path that was read last: it stays while another path is read, so that nothing jumps. */
  data: T | undefined
  isReading: boolean
  problem: Problem | undefined
  readAgain(): void
}

/** How often something was changed here: what is shown is read again after each. */
const changes = signal(0)

/** Has everything that is shown read again. */
export function readAllAgain(): void {
  changes.value += 1
}

/** Reads a path of the API whenever it is another one, and after each change made on this page. */
export function useRead<T>(path: string): Read<T> {
  const [read, setRead] = useState<Omit<Read<T>, 'readAgain'>>(NOTHING_READ)
  const [tries, setTries] = useState(0)
  const changed = changes.value
  const opened = openings.value
  // A change, a try and a new session ask for another reading.
  useEffect(() => {
    const controller = new AbortController()
    setRead((before) => ({ ...before, isReading: true }))
    readPath<T>(path, controller.signal).then(
      (data) => setRead({ data, isReading: false, problem: undefined }),
      (error: unknown) => {
        if (controller.signal.aborted) return
        setRead(({ data }) => ({ data, isReading: false, problem: toProblem(error) }))
      },
    )
    return () => controller.abort()
  }, [path, tries, changed, opened])
  return { ...read, readAgain: () => setTries((before) => before + 1) }
}

const NOTHING_READ = { data: undefined, isReading: true, problem: undefined }

async function readPath<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await sendSigned(path, { signal })
  return (await response.json()) as T
}
