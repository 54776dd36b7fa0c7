import { type Static, Type } from 'typebox'
import { VIDEO_DEFAULTS, type VideoRequest } from '../../contract/tasks.ts'
import { createGuard } from '../../platform/guard.ts'
import type { GenerationProvider, GenerationState, GenerationStep } from './provider.ts'
import { createProviderHttp, type ProviderAccess, readJson } from './provider-http.ts'
import {
  CUT_OFF,
  DAMAGED,
  readPoll,
  SubmissionPhase,
  submit,
  toUnnamed,
  toUnspeakable,
} from './submission.ts'

/** The root of the API, without the version. */
export const RUNWAY_URL = 'https://api.dev.runwayml.com'

const API_VERSION = '2024-11-06'
/** The provider brings a task up to date no more often than this. */
const POLL_INTERVAL_MS = 5000

const RATIOS = {
  '720p': { '1280:720': '1280:720', '720:1280': '720:1280' },
  '1080p': { '1280:720': '1920:1080', '720:1280': '1080:1920' },
} as const

const RunwayOperation = Type.Object({
  phase: SubmissionPhase,
  path: Type.Enum(['text_to_video', 'image_to_video']),
  body: Type.Record(Type.String(), Type.Unknown()),
  id: Type.Optional(Type.String()),
})
const isRunwayOperation = createGuard(RunwayOperation)
type RunwayOperation = Static<typeof RunwayOperation>

const RunwayTask = Type.Object({
  status: Type.String(),
  output: Type.Optional(Type.Array(Type.String())),
  failureCode: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const isRunwayTask = createGuard(RunwayTask)
const isBegun = createGuard(Type.Object({ id: Type.String({ minLength: 1 }) }))

export interface RunwayOptions extends ProviderAccess {
  /** A model that makes clips of 5 and 10 s; some have no 1080p, some no text to video. */
  model: string
}

/**
 * Makes clips with Runway's REST API, from text or from a picture and text.
 *
 * The API knows no keys for repeats and no list of tasks, so a task that was cut off while it began fails.
 * The provider's own words about a failure are not repeated.
 *
 * @see https://docs.dev.runwayml.com/api/
 */
export function createRunwayProvider({
  baseUrl,
  apiKey,
  proxies,
  model,
}: RunwayOptions): GenerationProvider<VideoRequest> {
  const headers = { accept: 'application/json', 'x-runway-version': API_VERSION }
  const send = createProviderHttp({ baseUrl, apiKey, proxies }, headers)
  return { start, check }

  async function start(params: VideoRequest): Promise<RunwayOperation> {
    const { prompt, image_url } = params
    const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = params
    const ratio = RATIOS[quality][params.aspect_ratio ?? '1280:720']
    const body = { model, promptText: prompt, ratio, duration }
    if (image_url === undefined) return { phase: 'unsent', path: 'text_to_video', body }
    return { phase: 'unsent', path: 'image_to_video', body: { ...body, promptImage: image_url } }
  }

  async function check(stored: unknown, step: GenerationStep): Promise<GenerationState> {
    if (!isRunwayOperation(stored)) return DAMAGED
    switch (stored.phase) {
      case 'unsent':
        return await begin(stored, step)
      case 'sent':
        return CUT_OFF
      case 'begun':
        return stored.id === undefined ? DAMAGED : await poll(stored.id, step.signal)
    }
  }

  async function begin(operation: RunwayOperation, step: GenerationStep): Promise<GenerationState> {
    const { path, body } = operation
    const { save, signal } = step
    const unspeakable = toUnspeakable({ apiKey }, body.promptText, body.promptImage)
    const submission = await submit(operation, {
      step,
      unspeakable,
      send: () => send({ method: 'POST', path: `v1/${path}`, body, signal }),
    })
    if ('state' in submission) return submission.state
    const begun = readJson(submission.answer)
    if (!isBegun(begun)) return toUnnamed(submission.answer, unspeakable)
    await save({ ...operation, phase: 'begun', id: begun.id })
    return { status: 'generating', checkAfterMs: POLL_INTERVAL_MS }
  }

  async function poll(id: string, signal: AbortSignal): Promise<GenerationState> {
    const path = `v1/tasks/${encodeURIComponent(id)}`
    const exchange = await send({ method: 'GET', path, signal })
    return readPoll(exchange, {
      intervalMs: POLL_INTERVAL_MS,
      toState,
      unspeakable: toUnspeakable({ apiKey }),
    })
  }
}

/** `PENDING`, `THROTTLED`, `RUNNING`, or a status added later: the task goes on until its deadline. */
function toState(task: unknown): GenerationState {
  const goesOn: GenerationState = { status: 'generating', checkAfterMs: POLL_INTERVAL_MS }
  if (!isRunwayTask(task)) return goesOn
  switch (task.status) {
    case 'SUCCEEDED':
      return {
        status: 'success',
        results: (task.output ?? []).map((url) => ({ type: 'url', url })),
      }
    case 'FAILED':
      return { status: 'fail', code: 502, message: toReason(task.failureCode ?? '') }
    case 'CANCELLED':
      return { status: 'fail', code: 502, message: 'The provider cancelled the work.' }
    default:
      return goesOn
  }
}

/** @param failureCode Parts with dots between them, the most general first: `SAFETY.INPUT.TEXT`. */
function toReason(failureCode: string): string {
  if (failureCode.split('.').includes('SAFETY')) {
    return 'The provider does not make clips of such content.'
  }
  if (failureCode.startsWith('ASSET.')) return 'The provider cannot use the reference image.'
  return 'The provider failed.'
}
