/** The creation endpoints: how a body is checked and priced, and which provider does the work. */
import type { TObject } from 'typebox'
import type { FieldProblem } from '../../contract/chat.ts'
import {
  CREATION_PATHS,
  findVideoProblems,
  IMAGE_LABEL,
  ImageRequest,
  type MediaKind,
  SOUND_LABEL,
  SoundRequest,
  toModelName,
  VideoRequest,
  videoLabel,
} from '../../contract/tasks.ts'
import { compileSchema } from '../../platform/guard.ts'
import { isJsonObject } from '../../platform/http/json.ts'
import { toMicroRub } from '../config/fields.ts'
import type { GenerationOffer } from '../config/generation-config.ts'
import { type ServiceConfig, toAccess } from '../config/service-config.ts'
import { dropRepeated, toFieldProblems } from '../field-problems.ts'
import type { TaskFailure } from '../ledger/tasks.ts'
import { createDemoProvider } from '../providers/demo/media.ts'
import { ProviderHealth } from '../providers/health.ts'
import { createOpenAiImageProvider, createOpenAiSoundProvider } from '../providers/openai/media.ts'
import type { GenerationProvider } from '../providers/provider.ts'
import { type ProviderAccess, toRoot } from '../providers/provider-http.ts'
import { createRelayProvider } from '../providers/relay.ts'
import { createRunwayProvider, RUNWAY_URL } from '../providers/runway.ts'

const MINUTE_MS = 60_000
const COOL_DOWN_MS = 30_000

export const NOT_THERE: TaskFailure = {
  code: 503,
  message: 'The provider could not be reached in time.',
}
/** The provider refuses for reasons that are between it and the operator. */
export const NOT_TAKEN: TaskFailure = { code: 502, message: 'The provider takes no work now.' }

/** The reason why a creation would fail, and the time until it is worth asking again. */
export interface KnownRefusal extends TaskFailure {
  retryAfterMs: number
}

interface Kind {
  media: MediaKind
  /** Path below the version, such as `videos/vidgen-generate`. Stored with each task. */
  path: string
  /** The schema of an object; its lengths count code points. Fields it does not name are ignored. */
  schema: TObject
  /** The rules that tie fields together. Its fields may be wrong: a client gets all problems at once. */
  findProblems?(params: object): FieldProblem[]
  label(params: object): string
  /** True if the end of a task is sent to its `X-Callback-Url`. */
  deliversCallbacks: boolean
}

/** A video from text, or from a picture and text. The interface leaves polling as the only way to a video. */
export const VIDGEN = {
  media: 'video',
  path: CREATION_PATHS.video,
  schema: VideoRequest,
  findProblems: findVideoProblems,
  label: videoLabel,
  deliversCallbacks: false,
} as const satisfies Kind

export const IMAGEGEN = {
  media: 'image',
  path: CREATION_PATHS.image,
  schema: ImageRequest,
  label: () => IMAGE_LABEL,
  deliversCallbacks: true,
} as const satisfies Kind

const SOUNDGEN = {
  media: 'sound',
  path: CREATION_PATHS.sound,
  schema: SoundRequest,
  label: () => SOUND_LABEL,
  deliversCallbacks: true,
} as const satisfies Kind

export const KINDS = [VIDGEN, IMAGEGEN, SOUNDGEN] as const

/** Makes the endpoints on offer. */
export function createEndpoints(
  { generation, keys }: Pick<ServiceConfig, 'generation' | 'keys'>,
  { proxies }: Pick<ProviderAccess, 'proxies'> = {},
): Endpoint[] {
  return KINDS.flatMap((kind) => {
    const offered = generation[kind.path]
    if (offered === undefined) return []
    const { prices_rub, deadline_minutes = 60, creation_seconds = 120, provider } = offered
    const prices = Object.entries(prices_rub).map(
      ([label, rub]) => [label, toMicroRub(rub)] as const,
    )
    const providerUrl = 'base_url' in provider ? provider.base_url : undefined
    const offer = {
      pricesMicroRub: new Map(prices),
      deadlineMs: deadline_minutes * MINUTE_MS,
      creationMs: creation_seconds * 1000,
      provider: createProvider(kind.media, provider),
      providerUrl,
      upstream: providerUrl === undefined ? provider.type : new URL(providerUrl).host,
    }
    return createEndpoint(kind, offer)
  })

  function createProvider(
    media: MediaKind,
    config: GenerationOffer['provider'],
  ): GenerationProvider<object> {
    if (config.type === 'demo') return createDemoProvider(media)
    const access = { ...toAccess({ base_url: RUNWAY_URL, ...config }, keys), proxies }
    if (config.type === 'relay') return createRelayProvider(access, CREATION_PATHS[media])
    if (config.type === 'runway') return createRunwayProvider(access, config.model)
    const { model, voice, sizes } = { voice: undefined, sizes: undefined, ...config }
    return media === 'sound'
      ? createOpenAiSoundProvider(access, model, voice)
      : createOpenAiImageProvider(access, model, sizes)
  }
}

interface Offer {
  /** The prices by label; a label without a price is not on offer. */
  pricesMicroRub: ReadonlyMap<string, bigint>
  deadlineMs: number
  creationMs: number
  provider: GenerationProvider<object>
  upstream: string
  providerUrl?: string | undefined
}

export type Endpoint = ReturnType<typeof createEndpoint>

export function createEndpoint(kind: Kind, offer: Offer) {
  const { path, schema, findProblems, label: toLabel } = kind
  const { providerUrl, upstream, pricesMicroRub } = offer
  /** The root of the provider's API without a password, or its name. */
  const maker = providerUrl === undefined ? upstream : toMaker(new URL(providerUrl))
  const validate = compileSchema(schema, { allErrors: true })
  /** Whether the provider takes new work, as far as this process has just seen. */
  const health = new ProviderHealth(COOL_DOWN_MS)
  return { ...kind, ...offer, model: toModelName(path), maker, health, findRefusal, read }

  function findRefusal(): KnownRefusal | undefined {
    const retryAfterMs = health.restMs()
    if (retryAfterMs === 0) return undefined
    return { ...(health.isRefused ? NOT_TAKEN : NOT_THERE), retryAfterMs }
  }

  function read(
    body: unknown,
  ): FieldProblem[] | { params: object; label: string; priceMicroRub: bigint } {
    const refused = validate(body) ? [] : toFieldProblems(validate.errors ?? [], 'body')
    if (!isJsonObject(body)) return refused
    const params = pickKnown(schema, body)
    const untied = findProblems?.(params) ?? []
    const problems = dropRepeated([...refused, ...findUnstorable(params), ...untied])
    if (problems.length > 0) return problems
    const label = toLabel(params)
    const priceMicroRub = pricesMicroRub.get(label)
    if (priceMicroRub === undefined) {
      return [{ loc: ['body'], msg: `"${label}" is not on offer: it has no price` }]
    }
    return { params, label, priceMicroRub }
  }
}

function toMaker({ origin, pathname }: URL): string {
  return toRoot(origin + pathname)
}

/** PostgreSQL keeps neither U+0000 nor half of a surrogate pair. */
function findUnstorable(params: object): FieldProblem[] {
  return Object.entries(params)
    .filter(([, value]) => typeof value === 'string' && /\0|\p{Surrogate}/u.test(value))
    .map(([name]) => ({ loc: ['body', name], msg: 'must be whole Unicode text without U+0000' }))
}

function pickKnown({ properties }: TObject, body: object): object {
  const known = Object.entries(body).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(known)
}
