import { type Static, Type } from 'typebox'
import type { FieldProblem } from './errors.ts'

/** Longest prompt of a creation endpoint, in Unicode code points. */
export const PROMPT_CHARS_MAX = 5000

export const VIDEO_DURATIONS = [5, 10] as const
export const VIDEO_QUALITIES = ['720p', '1080p'] as const
export const VIDEO_ASPECT_RATIOS = ['1280:720', '720:1280'] as const

export type VideoDuration = (typeof VIDEO_DURATIONS)[number]
export type VideoQuality = (typeof VIDEO_QUALITIES)[number]
export type VideoAspectRatio = (typeof VIDEO_ASPECT_RATIOS)[number]

export const VIDEO_DEFAULTS = { duration: 5, quality: '720p' } as const

/** Body of `POST /videos/vidgen-generate`. What ties fields together is in `findVideoProblems()`. */
export const VideoRequest = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: PROMPT_CHARS_MAX }),
    duration: Type.Optional(Type.Enum(VIDEO_DURATIONS)),
    quality: Type.Optional(Type.Enum(VIDEO_QUALITIES)),
    image_url: Type.Optional(Type.String()),
    aspect_ratio: Type.Optional(Type.Enum(VIDEO_ASPECT_RATIOS)),
  },
  {
    examples: [{ prompt: 'A kopeck rolls down a hill', duration: 5, aspect_ratio: '1280:720' }],
  },
)
export type VideoRequest = Static<typeof VideoRequest>

/**
 * The rules of a video request that tie fields together: no 1080p with 10 s, an aspect ratio without
 * a reference image, and a reference image that is an http(s) URL.
 *
 * @returns Every problem found; none when the request may be made.
 */
export function findVideoProblems(request: VideoRequest): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (request.quality === '1080p' && request.duration === 10) {
    problems.push({ loc: ['body', 'quality'], msg: '1080p is not available with a duration of 10' })
  }
  if (request.image_url === undefined && request.aspect_ratio === undefined) {
    problems.push({
      loc: ['body', 'aspect_ratio'],
      msg: `required without image_url: ${VIDEO_ASPECT_RATIOS.join(' or ')}`,
    })
  }
  if (request.image_url !== undefined && !isHttpUrl(request.image_url)) {
    problems.push({ loc: ['body', 'image_url'], msg: 'must be an http or https URL' })
  }
  return problems
}

/** The label a clip's fixed price goes by: `vidgen-<quality>-<duration>s`. */
export function clipLabel(request: Pick<VideoRequest, 'duration' | 'quality'>): string {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  return `vidgen-${quality}-${duration}s`
}

function isHttpUrl(value: unknown): boolean {
  // Anything may come here, and to make a text of it could take for ever.
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
}
