import { isJsonObject } from '../../../src/platform/http/json.ts'
import type { Asked, Reply } from './sound-service.ts'

export const VIDEO_PATH = '/videos/vidgen-generate'
const IMAGE_PATH = '/images/imagegen-generate'

const PATHS = [
  ...['/chats/completions', '/chats/models', '/balance', '/callback/secret', '/prices'],
  ...[VIDEO_PATH, IMAGE_PATH],
]
const PRIVATE = /^https?:\/\/(localhost|127\.|10\.|192\.168\.|169\.254\.|private\.example|\[::1\])/

export function isKnownPath(path: string): boolean {
  return PATHS.includes(path) || path.startsWith('/task/')
}

/** A value of a field of a clip that is taken although it is wrong. */
export interface Overlooked {
  field: string
  value: unknown
}

/** Finds the refusal of a request, as the interface words it; 402 for more tokens than any balance here. */
export function findRefusal(
  { method, path, headers, body }: Asked,
  { models, overlooks }: { models: readonly string[]; overlooks: Overlooked | undefined },
) {
  if (method !== 'POST') return undefined
  const fields = isJsonObject(body) ? body : {}
  if (path === '/chats/completions') return findChatRefusal(fields, models)
  const wrong = (path === VIDEO_PATH ? findWrongVideoFields : findWrongPrompt)(fields)
  if (isBadCallback(headers['x-callback-url'])) wrong.push('X-Callback-Url')
  const isOverlooked = overlooks !== undefined && fields[overlooks.field] === overlooks.value
  const refused = wrong.filter((field) => !isOverlooked || field !== overlooks.field)
  if (refused.length === 0) return undefined
  return refuse(refused.map((field) => ({ loc: ['body', field], msg: 'is wrong' })))
}

function findChatRefusal(
  fields: Record<string, unknown>,
  models: readonly string[],
): Reply | undefined {
  if (!models.includes(String(fields.model))) return refuse('model is wrong')
  if (!Array.isArray(fields.messages)) return refuse('messages are wrong')
  const isRight = fields.messages.every(
    ({ role, content }) => typeof role === 'string' && typeof content === 'string',
  )
  if (!isRight) return refuse('a message is wrong')
  if (!Number.isInteger(fields.max_tokens)) return refuse('max_tokens is wrong')
  const isDear = Number(fields.max_tokens) > 100_000
  return isDear ? { status: 402, body: { detail: 'too little' } } : undefined
}

function findWrongVideoFields(fields: Record<string, unknown>): string[] {
  const { duration = 5, quality = '720p', image_url, aspect_ratio } = fields
  const isShape = aspect_ratio === '1280:720' || aspect_ratio === '720:1280'
  const isQuality = quality === '720p' || quality === '1080p'
  const isLink = image_url === undefined || URL.canParse(String(image_url))
  return [
    ...findWrongPrompt(fields),
    ...(duration === 5 || duration === 10 ? [] : ['duration']),
    ...(!isQuality || (quality === '1080p' && duration === 10) ? ['quality'] : []),
    ...(isLink ? [] : ['image_url']),
    ...(isShape || (aspect_ratio === undefined && image_url !== undefined) ? [] : ['aspect_ratio']),
  ]
}

function findWrongPrompt({ prompt }: Record<string, unknown>): string[] {
  const isText = typeof prompt === 'string' && prompt.length >= 1 && prompt.length <= 5000
  return isText ? [] : ['prompt']
}

/** The receiver of a test is on this machine, below a path that is its own. */
function isBadCallback(url: string | string[] | undefined): boolean {
  if (typeof url !== 'string') return false
  const isOwn = /^http:\/\/127\.0\.0\.1:\d+\/hook\//.test(url)
  return url.length > 500 || !/^https?:/.test(url) || (PRIVATE.test(url) && !isOwn)
}

function refuse(detail: unknown): Reply {
  return { status: 422, body: { detail } }
}
