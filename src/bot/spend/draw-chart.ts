import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { programUrl } from '../../platform/installation.ts'
import { atMost } from '../../platform/time/at-most.ts'
import type { SpendChart } from './spend-chart.ts'

const WORKER = programUrl('./chart-worker', import.meta.url)

/** A picture takes 0.2 s; on a busy machine, or with others before it, longer. */
const DRAW_MS_MAX = 5_000

/** A thread takes about 80 MB while it draws. */
const PARALLEL_MAX = 1

const HEAP_MB_MAX = 128

/** A picture that was not drawn: its thread failed, or took too long with those before it. */
export class ChartNotDrawnError extends Error {
  override readonly name = 'ChartNotDrawnError'
}

/** Draws pictures of spend, one at a time, each in a thread of its own that ends with it. */
export function createChartDrawing({
  worker = WORKER,
  timeoutMs = DRAW_MS_MAX,
}: {
  worker?: URL
  timeoutMs?: number
} = {}) {
  const inTurn = atMost(PARALLEL_MAX)
  return { draw }

  /** @throws {ChartNotDrawnError} After 5 s at the latest, the wait for others included. */
  async function draw(chart: SpendChart): Promise<Uint8Array> {
    // Those before it have begun their waits before this one, so its turn comes in time.
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await inTurn(() => drawInThread(worker, chart, signal))
    } catch (cause) {
      const reason = signal.aborted ? `not within ${timeoutMs} ms` : 'its thread failed'
      throw new ChartNotDrawnError(`Cannot draw chart: ${reason}`, { cause })
    }
  }
}

export type ChartDrawing = ReturnType<typeof createChartDrawing>

async function drawInThread(
  file: URL,
  chart: SpendChart,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted()
  // It needs none of the secrets in the environment.
  const worker = new Worker(file, {
    workerData: chart,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  try {
    const ended = once(worker, 'exit').then(() => {
      throw new TypeError('Cannot draw chart: its thread ended without a picture')
    })
    const [png] = await Promise.race([once(worker, 'message', { signal }), ended])
    return png
  } finally {
    // Also one that hangs, which else would go on for ever.
    await worker.terminate()
  }
}
