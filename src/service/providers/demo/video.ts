import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { VideoRequest } from '../../../contract/video.ts'
import { createGuard } from '../../config/guard.ts'
import {
  type GenerationProvider,
  type GenerationState,
  type GenerationStep,
  ProviderError,
  type ProviderOperation,
} from '../provider.ts'
import { DemoClip, planDemoClip } from './clip.ts'

const isDemoClip = createGuard(DemoClip)

/** Renders going on at once; each keeps one core busy for about two seconds. */
const RENDERS_AT_ONCE_MAX = 1
/** A render that takes longer has hung, or the machine is far too busy. */
const RENDER_MS_MAX = 60_000
const RENDER_HEAP_MB_MAX = 256

const CODE_RENDER_FAILED = 500

/**
 * Makes clips on this machine that show their prompt and say they are a demo: real MP4 files, nothing paid.
 *
 * `start()` only writes down what to render. `check()` renders it, off the main thread, and ends with the
 * file; while another clip is rendering it says `generating`. An aborted check ends the render.
 */
export function createDemoVideoProvider(): GenerationProvider<VideoRequest> {
  let rendering = 0
  return { start, check }

  async function start(params: VideoRequest): Promise<ProviderOperation> {
    return planDemoClip(params)
  }

  async function check(
    operation: ProviderOperation,
    { signal }: Pick<GenerationStep, 'signal'>,
  ): Promise<GenerationState> {
    signal.throwIfAborted()
    if (!isDemoClip(operation)) {
      return fail('The demo clip cannot be rendered: its stored description is damaged.')
    }
    if (rendering >= RENDERS_AT_ONCE_MAX) return { status: 'generating' }

    rendering += 1
    try {
      return await render(operation, signal)
    } finally {
      rendering -= 1
    }
  }
}

async function render(clip: DemoClip, signal: AbortSignal): Promise<GenerationState> {
  const tooLong = AbortSignal.timeout(RENDER_MS_MAX)
  const worker = new Worker(new URL('./video-worker.ts', import.meta.url), {
    workerData: clip,
    resourceLimits: { maxOldGenerationSizeMb: RENDER_HEAP_MB_MAX },
  })
  // once() hears the first error; one that comes while an aborted worker ends has no listener left.
  worker.on('error', () => {})
  try {
    const [bytes]: unknown[] = await once(worker, 'message', {
      signal: AbortSignal.any([signal, tooLong]),
    })
    if (!(bytes instanceof Uint8Array)) return fail('The demo clip could not be rendered.')
    return {
      status: 'success',
      results: [{ type: 'bytes', bytes, extension: 'mp4', contentType: 'video/mp4' }],
    }
  } catch (error) {
    signal.throwIfAborted()
    if (tooLong.aborted) {
      throw new ProviderError('unavailable', 'The demo clip was not ready in time.', {
        cause: error,
      })
    }
    // A state has no room for the cause. The same operation fails the same way, so it can be had again.
    return fail('The demo clip could not be rendered.')
  } finally {
    await worker.terminate()
  }
}

function fail(message: string): GenerationState {
  return { status: 'fail', code: CODE_RENDER_FAILED, message }
}
