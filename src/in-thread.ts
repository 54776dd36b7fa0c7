import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** How often it is looked how much memory a thread has; decompression fills some 10 MB in that time. */
const WATCH_INTERVAL_MS = 20

/** A thread was ended because it took more memory than it may. */
export class ThreadMemoryError extends Error {
  override readonly name = 'ThreadMemoryError'
  readonly code = 'thread_memory'
}

export interface ThreadBounds {
  /** Ends the thread, also one that hangs. */
  signal: AbortSignal
  /** Of its heap, and once more of the buffers outside it, which no limit of Node's counts. */
  memoryMbMax: number
}

/**
 * Has a file do one piece of work in a thread of its own, which ends with it: the main thread stays
 * free, and what the work took is given back whole.
 *
 * @param file Finds its work in `workerData` and posts one message.
 * @returns That message.
 * @throws {ThreadMemoryError} If it takes more memory than it may.
 * @throws The signal's reason; what the thread throws; a `TypeError` if it ends without a message.
 */
export async function inThread(
  file: URL,
  workerData: unknown,
  { signal, memoryMbMax }: ThreadBounds,
): Promise<unknown> {
  signal.throwIfAborted()
  const worker = new Worker(file, {
    // Of the secrets in the environment it needs none.
    ...{ workerData, env: {} },
    resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
  })
  const over = new AbortController()
  try {
    const ended = once(worker, 'exit').then(() => {
      throw new TypeError('Cannot work in a thread: it ended without a message')
    })
    const tooMuch = watchMemory(worker, memoryMbMax * 2 ** 20, over.signal)
    const [message] = await Promise.race([once(worker, 'message', { signal }), ended, tooMuch])
    return message
  } catch (error) {
    signal.throwIfAborted()
    const isHeapFull = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isHeapFull ? tooMuchMemory({ cause: error }) : error
  } finally {
    over.abort()
    // Also one that hangs, which else would go on for ever.
    await worker.terminate()
  }
}

/** Rejects once a thread has more buffers than it may; else it never ends. */
async function watchMemory(worker: Worker, bytesMax: number, over: AbortSignal): Promise<never> {
  while (!over.aborted) {
    // Asked of the thread itself, which answers in the middle of its work, too.
    const heap = await worker.getHeapStatistics().catch(() => undefined)
    if ((heap?.external_memory ?? 0) > bytesMax) throw tooMuchMemory()
    await sleep(WATCH_INTERVAL_MS, undefined, { signal: over }).catch(() => {})
  }
  return new Promise(() => {})
}

function tooMuchMemory(options?: ErrorOptions): ThreadMemoryError {
  return new ThreadMemoryError('Cannot work in a thread: it takes too much memory', options)
}
