/** Wire format of generation. A price label is computed from the request alone, so that bot and service agree on it. */
import { createHmac } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { isHttpUrl } from '../platform/guard.ts'
import { type FieldProblem, nullable } from './chat.ts'

export const MEDIA_KINDS = ['video', 'image', 'sound'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

export const CREATION_PATHS = {
  video: 'videos/vidgen-generate',
  image: 'images/imagegen-generate',
  sound: 'sounds/soundgen-generate',
} as const satisfies Record<MediaKind, string>

/** The model's name as callers know it and price labels begin: `images/pixgen-generate` → `pixgen`. */
export function toModelName(creationPath: string): string {
  return creationPath.replace(/^.*\//, '').replace(/-generate$/, '')
}

/** Longest prompt of a creation endpoint, in Unicode code points. */
export const PROMPT_CHARS_MAX = 5000
const Prompt = Type.String({ minLength: 1, maxLength: PROMPT_CHARS_MAX })

export const VIDEO_DURATIONS = [5, 10] as const
export const VIDEO_QUALITIES = ['720p', '1080p'] as const
export const VIDEO_ASPECT_RATIOS = ['1280:720', '720:1280'] as const
export const VIDEO_DEFAULTS = { duration: 5, quality: '720p' } as const

export type VideoQuality = (typeof VIDEO_QUALITIES)[number]
export type VideoAspectRatio = (typeof VIDEO_ASPECT_RATIOS)[number]

/** Body of `POST /videos/vidgen-generate`. `findVideoProblems()` has the rules that tie fields together. */
export const VideoRequest = Type.Object({
  prompt: Prompt,
  duration: Type.Optional(Type.Enum(VIDEO_DURATIONS)),
  quality: Type.Optional(Type.Enum(VIDEO_QUALITIES)),
  image_url: Type.Optional(Type.String()),
  aspect_ratio: Type.Optional(Type.Enum(VIDEO_ASPECT_RATIOS)),
})
export type VideoRequest = Static<typeof VideoRequest>

/** Returns every problem between the fields of a video request. */
export function findVideoProblems(request: VideoRequest): FieldProblem[] {
  const { quality, duration, image_url, aspect_ratio } = request
  const problems: FieldProblem[] = []
  if (quality === '1080p' && duration === 10) {
    problems.push({ loc: ['body', 'quality'], msg: '1080p is not available with a duration of 10' })
  }
  if (image_url === undefined && aspect_ratio === undefined) {
    problems.push({
      loc: ['body', 'aspect_ratio'],
      msg: `required without image_url: ${VIDEO_ASPECT_RATIOS.join(' or ')}`,
    })
  }
  // An unvalidated value may be anything, and converting it to a string could take for ever.
  if (typeof image_url === 'string' && !isHttpUrl(image_url)) {
    problems.push({ loc: ['body', 'image_url'], msg: 'must be an http or https URL' })
  }
  return problems
}

export function videoLabel(request: Pick<VideoRequest, 'duration' | 'quality'>): string {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  return `vidgen-${quality}-${duration}s`
}

export const IMAGE_ASPECT_RATIOS = ['1:1', '16:9', '9:16'] as const
export const IMAGE_DEFAULTS = { aspect_ratio: '1:1' } as const
export const IMAGE_LABEL = 'imagegen'
export type ImageAspectRatio = (typeof IMAGE_ASPECT_RATIOS)[number]

/** Body of `POST /images/imagegen-generate`. */
export const ImageRequest = Type.Object({
  prompt: Prompt,
  aspect_ratio: Type.Optional(Type.Enum(IMAGE_ASPECT_RATIOS)),
})
export type ImageRequest = Static<typeof ImageRequest>

export const SOUND_SECONDS_MAX = 30
export const SOUND_DEFAULTS = { duration: 5 } as const
export const SOUND_LABEL = 'soundgen'

/** Body of `POST /sounds/soundgen-generate`. */
export const SoundRequest = Type.Object({
  prompt: Prompt,
  duration: Type.Optional(Type.Integer({ minimum: 1, maximum: SOUND_SECONDS_MAX })),
})
export type SoundRequest = Static<typeof SoundRequest>

export type MediaRequest =
  | { kind: 'video'; request: VideoRequest }
  | { kind: 'image'; request: ImageRequest }
  | { kind: 'sound'; request: SoundRequest }

/** States of a task in the order they come; the last two are terminal. */
export const TASK_STATUSES = ['waiting', 'queuing', 'generating', 'success', 'fail'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const TaskCreated = Type.Object({ task_id: Type.Integer() })

/** Answer of `GET /task/{task_id}`: links when `success`, an error when `fail`, otherwise both null. */
export const Task = Type.Object({
  status: Type.Enum(TASK_STATUSES),
  result_urls: nullable(Type.Array(Type.String())),
  error: nullable(Type.Object({ code: Type.Integer(), message: Type.String() })),
})
export type Task = Static<typeof Task>

/** Answer of `GET /callback/secret`: the account's permanent secret for checking callback signatures. */
export const CallbackSecret = Type.Object({ secret: Type.String() })

/** Body of the signed POST that reports a task's end (interface document, Callback notification body). */
export const CallbackNotification = Type.Object({
  task_id: Type.Integer(),
  status: Type.Enum(['success', 'fail']),
  /** 200, or the code of the task's error. */
  code: Type.Integer(),
  result_urls: nullable(Type.Array(Type.String())),
  error: nullable(Type.String()),
  model: Type.String(),
  /** Unix seconds. */
  timestamp: Type.Integer(),
})
export type CallbackNotification = Static<typeof CallbackNotification>

interface CallbackToSign {
  secret: string
  /** Unix seconds. */
  timestamp: string
  /** The exact bytes. */
  body: Uint8Array
}

/** Returns the headers that prove a callback's origin. */
export function signCallback({ secret, timestamp, body }: CallbackToSign) {
  const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return { 'x-callback-timestamp': timestamp, 'x-callback-signature': `sha256=${hex}` }
}
