import { Type } from 'typebox'
import { VIDEO_DEFAULTS, type VideoRequest } from '../../contract/tasks.ts'
import { createGuard } from '../../platform/guard.ts'
import { createPaidProvider, toSuccess } from './paid-work.ts'
import type { GenerationProvider, GenerationState } from './provider.ts'
import { type ProviderAccess, readJson } from './provider-http.ts'

/** The root of the API, without the version. */
export const RUNWAY_URL = 'https://api.dev.runwayml.com'

const API_VERSION = '2024-11-06'
/** The provider brings a task up to date no more often than this. */
const POLL_INTERVAL_MS = 5000

const RATIOS = {
  '720p': { '1280:720': '1280:720', '720:1280': '720:1280' },
  '1080p': { '1280:720': '1920:1080', '720:1280': '1080:1920' },
} as const

const isRunwayTask = createGuard(
  Type.Object({
    status: Type.String(),
    output: Type.Optional(Type.Array(Type.String())),
    failureCode: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
)
const isBegun = createGuard(Type.Object({ id: Type.String({ minLength: 1 }) }))

/** Makes videos of 5 and 10 s. @see https://docs.dev.runwayml.com/api/ */
export function createRunwayProvider(
  access: ProviderAccess,
  model: string,
): GenerationProvider<VideoRequest> {
  return createPaidProvider({
    access,
    headers: { accept: 'application/json', 'x-runway-version': API_VERSION },
    toBody(params) {
      const { prompt, image_url } = params
      const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = params
      const ratio = RATIOS[quality][params.aspect_ratio ?? '1280:720']
      const body = { model, promptText: prompt, ratio, duration }
      return image_url === undefined ? body : { ...body, promptImage: image_url }
    },
    creation: ({ body }) => ({
      path: body.promptImage === undefined ? 'v1/text_to_video' : 'v1/image_to_video',
    }),
    accept(answer) {
      const begun = readJson(answer)
      return isBegun(begun) ? begun.id : undefined
    },
    poll: {
      path: (id) => `v1/tasks/${encodeURIComponent(id)}`,
      intervalMs: POLL_INTERVAL_MS,
      readEnd,
    },
  })
}

/** `PENDING`, `THROTTLED`, `RUNNING`, or a status added later: the task goes on until its deadline. */
function readEnd(task: unknown): GenerationState | undefined {
  if (!isRunwayTask(task)) return undefined
  const { status, output = [], failureCode } = task
  if (status === 'SUCCEEDED') return toSuccess(output)
  if (status !== 'FAILED' && status !== 'CANCELLED') return undefined
  const message =
    status === 'FAILED' ? toReason(failureCode ?? '') : 'The provider cancelled the work.'
  return { status: 'fail', code: 502, message }
}

/** @param failureCode Parts with dots between them, the most general first: `SAFETY.INPUT.TEXT`. */
function toReason(failureCode: string): string {
  if (failureCode.split('.').includes('SAFETY')) {
    return 'The provider does not make videos of such content.'
  }
  if (failureCode.startsWith('ASSET.')) return 'The provider cannot use the reference image.'
  return 'The provider failed.'
}
