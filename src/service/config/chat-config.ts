import { type Static, Type } from 'typebox'
import { FEATURES } from '../../contract/openai.ts'
import { isHttpUrl } from '../../platform/guard.ts'
import type { JsonObject } from '../../platform/http/json.ts'
import { parseProxies } from '../../platform/http/proxies.ts'
import { OMISSIBLE } from '../providers/openai/request-form.ts'
import {
  httpUrl,
  type Keys,
  keyName,
  modelName,
  ONE_LINE,
  ONE_LINE_WORDS,
  providerOf,
  roubles,
  text,
} from './fields.ts'
import { findPriceProblems, priceFields } from './price-fields.ts'

const CONTEXT_TOKENS_MAX = 100_000_000
const RETRIES_MAX = 10
const SECONDS_MAX = 3600
const WEIGHT_MAX = 1000

const tokens = Type.Integer({
  minimum: 1,
  maximum: CONTEXT_TOKENS_MAX,
  description: `a whole number of tokens from 1 to ${CONTEXT_TOKENS_MAX}`,
})
const seconds = (least: number) =>
  Type.Number({
    minimum: least,
    maximum: SECONDS_MAX,
    description: `a number of seconds from ${least} to ${SECONDS_MAX}`,
  })

/** The way to an upstream without a proxy, also where the others have one. */
export const DIRECT = 'direct'

type Value = string | { value_env: string }

function value(pattern: string, description: string) {
  return Type.Unsafe<Value>({
    // Of these rules some are for texts, and the others for objects.
    type: ['string', 'object'],
    pattern,
    required: ['value_env'],
    properties: { value_env: keyName },
    additionalProperties: false,
    description: `${description}, or an object with value_env, the name of a variable that holds it`,
  })
}

/** Headers that decide how a request is read and answered are ours. Many proxies drop names with an underscore. */
const OWN_HEADERS =
  'host|connection|content-length|content-type|transfer-encoding|te|upgrade|expect|keep-alive|accept'
const HEADER_NAME = `^(?!(?:${inAnyCase(OWN_HEADERS)})$)[!#$%&'*+.^\`|~0-9A-Za-z-]+$`
const HEADERS =
  'an object of header names and their values; what HTTP and its JSON need is not among them'
/** Fields that the request itself sets, or that would make several answers of one, are ours. */
const BODY_FIELD =
  '^(?!(?:model|messages|stream|max_tokens|max_completion_tokens|n|tools|functions)$)'
const BODY = 'an object of fields that the request does not have by itself'

const upstreamFields = {
  name: Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,100}$',
      description: 'a name of 1 to 100 characters without spaces',
    }),
  ),
  weight: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WEIGHT_MAX,
      description: `a whole number from 0 to ${WEIGHT_MAX}`,
    }),
  ),
  cost: Type.Optional(
    Type.Object(priceFields, {
      additionalProperties: false,
      description: 'an object of prompt_rub_per_1m, completion_rub_per_1m, perhaps other prices',
    }),
  ),
  api_key_env: Type.Optional(keyName),
  output_limit: Type.Optional(
    Type.Enum(['max_tokens', 'max_completion_tokens'], {
      description: 'max_tokens or max_completion_tokens',
    }),
  ),
  omit: Type.Optional(
    Type.Array(Type.Enum([...OMISSIBLE], { description: OMISSIBLE.join(', ') }), {
      description: `a list of ${OMISSIBLE.join(', ')}`,
    }),
  ),
  supports: Type.Optional(
    Type.Array(Type.Enum([...FEATURES], { description: FEATURES.join(', ') }), {
      description: `a list of ${FEATURES.join(', ')}`,
    }),
  ),
  only_streams: Type.Optional(Type.Boolean({ description: 'true or false' })),
  headers: Type.Optional(
    Type.Unsafe<Readonly<Record<string, Value>>>({
      type: 'object',
      propertyNames: { pattern: HEADER_NAME, description: HEADERS },
      additionalProperties: value(ONE_LINE.source, ONE_LINE_WORDS),
      description: HEADERS,
    }),
  ),
  body: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: 'object',
      propertyNames: { pattern: BODY_FIELD, description: BODY },
      description: BODY,
    }),
  ),
  timeouts: Type.Optional(
    Type.Object(
      {
        connect_seconds: Type.Optional(seconds(0.1)),
        first_event_seconds: Type.Optional(seconds(0.1)),
        silence_seconds: Type.Optional(seconds(0.1)),
      },
      {
        additionalProperties: false,
        description: 'an object of connect_seconds, first_event_seconds and silence_seconds',
      },
    ),
  ),
  proxy: Type.Optional(
    value(
      `^(?:${DIRECT}|(?:https?|socks5h?)://[^@]*)$`,
      `the http, https or socks5 URL of a proxy, without a password, several with commas, or ${DIRECT}`,
    ),
  ),
}
const ChatUpstreamConfig = providerOf({
  // A model that is switched to the demo for a while may keep the rest of its provider.
  demo: {
    ...upstreamFields,
    base_url: Type.Optional(httpUrl),
    model: Type.Optional(modelName),
  },
  openai: { ...upstreamFields, base_url: httpUrl, model: modelName },
})
export type ChatUpstreamConfig = Static<typeof ChatUpstreamConfig>

const ChatModelConfig = Type.Object(
  {
    id: Type.String({
      pattern: '^[!-~]{1,200}$',
      description: 'a model id of 1 to 200 characters without spaces',
    }),
    family: text('a name of the family'),
    context_tokens: tokens,
    ...priceFields,
    usd_rub: Type.Optional(roubles),
    /** What is charged: the tokens at these prices, or the cost that the provider reports, at most the hold. */
    price_by: Type.Optional(
      Type.Enum(['tokens', 'reported'], { description: 'tokens or reported' }),
    ),
    default_max_tokens: Type.Optional(tokens),
    /** Held for what the model thinks, where its provider does not count that as a part of `max_tokens`. */
    thinking_tokens: Type.Optional(tokens),
    provider: Type.Optional(ChatUpstreamConfig),
    upstreams: Type.Optional(
      Type.Array(ChatUpstreamConfig, {
        minItems: 1,
        description: 'a list of at least one upstream',
      }),
    ),
    /** Tries of one request after its first; by default one of each other upstream. */
    retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: RETRIES_MAX,
        description: `a whole number from 0 to ${RETRIES_MAX}`,
      }),
    ),
    cool_down_seconds: Type.Optional(seconds(0)),
  },
  { additionalProperties: false, description: 'an object that describes a model' },
)
export type ChatModelConfig = Static<typeof ChatModelConfig>

export const ChatConfig = Type.Object(
  {
    models: Type.Array(ChatModelConfig, {
      minItems: 1,
      description: 'a list of at least one model',
    }),
  },
  {
    additionalProperties: false,
    description: 'an object with the list models',
  },
)

/** Lists the upstreams that may answer for a model, from its checked config. */
export function listUpstreams({
  provider,
  upstreams,
}: Pick<ChatModelConfig, 'provider' | 'upstreams'>): readonly ChatUpstreamConfig[] {
  return upstreams ?? (provider === undefined ? [] : [provider])
}

/** Checks whether nothing but demos answers chats. */
export function isDemo({ models }: Static<typeof ChatConfig>): boolean {
  return models.every((model) => listUpstreams(model).every(({ type }) => type === 'demo'))
}

/** The name of an upstream in the log and the metrics. */
export function toUpstreamName({ name, type, base_url = '' }: ChatUpstreamConfig): string {
  return name ?? (type === 'demo' ? 'demo' : new URL(base_url).host)
}

/** @returns A value as it stands in the file or in the variable that it names. */
export function readValue(configured: Value, keys: Keys): string {
  return typeof configured === 'string' ? configured : (keys.get(configured.value_env) ?? '')
}

/** Finds the problems that no schema finds. It looks at any JSON, so that these come with the schema's problems. */
export function findChatProblems(json: unknown): string[] {
  const models = (json as { chat?: { models?: unknown } } | null)?.chat?.models
  if (!Array.isArray(models)) return []
  const seen = new Set<string>()
  return models.flatMap((model: Partial<ChatModelConfig> | null, index) => {
    const problems: string[] = []
    const { id, context_tokens, default_max_tokens, provider, upstreams } = model ?? {}
    const path = `chat.models[${index}]`
    if (typeof id === 'string' && seen.size === seen.add(id).size) {
      problems.push(`${path}.id: an id that no other model has`)
    }
    if (toNumber(default_max_tokens) > toNumber(context_tokens)) {
      problems.push(`${path}.default_max_tokens: at most context_tokens`)
    }
    problems.push(...findPriceProblems(model ?? {}, path))
    problems.push(...findPriceProblems(provider?.cost ?? {}, `${path}.provider.cost`))
    if (model !== null && (provider === undefined) === (upstreams === undefined)) {
      problems.push(`${path}: either a provider or a list of upstreams`)
    }
    return [...problems, ...findUpstreamProblems(upstreams, `${path}.upstreams`)]
  })
}

/** Finds what is wrong with proxies, also with those that are in variables. */
export function findProxyProblems({ models }: Static<typeof ChatConfig>, keys: Keys): string[] {
  return models.flatMap((model, index) =>
    listUpstreams(model).flatMap(({ type, proxy = '' }, at) => {
      if (type === 'demo' || proxy === '') return []
      const list = readValue(proxy, keys)
      if (list === DIRECT || 'value' in parseProxies(list)) return []
      const field = model.upstreams === undefined ? 'provider' : `upstreams[${at}]`
      const path = `chat.models[${index}].${field}`
      return [`${path}.proxy: an http, https or socks5 URL, or a variable that holds one`]
    }),
  )
}

function findUpstreamProblems(upstreams: unknown, path: string): string[] {
  if (!Array.isArray(upstreams)) return []
  const known = upstreams.filter((upstream) => typeof upstream === 'object' && upstream !== null)
  const names = known.map(toNameOrNothing)
  const repeated = names.filter((name, index) => name !== '' && names.indexOf(name) < index)
  const weights = known.filter(({ weight }) => weight !== undefined)
  const problems = [...new Set(repeated)].map(
    (name) => `${path}: a name of its own for each, two are called ${name}`,
  )
  for (const [index, upstream] of upstreams.entries()) {
    problems.push(...findPriceProblems(upstream?.cost ?? {}, `${path}[${index}].cost`))
  }
  if (weights.length > 0 && weights.length < known.length) {
    problems.push(`${path}: a weight for each of them, or for none`)
  } else if (weights.length > 0 && weights.every(({ weight }) => weight === 0)) {
    problems.push(`${path}: a weight above 0 for one of them`)
  }
  return problems
}

function toNameOrNothing(upstream: ChatUpstreamConfig): string {
  const { name, type, base_url } = upstream
  if (typeof name === 'string') return name
  const isNamed = type === 'demo' || (typeof base_url === 'string' && isHttpUrl(base_url))
  return isNamed ? toUpstreamName(upstream) : ''
}

/** JSON has objects that JavaScript cannot make a number of. */
function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN
}

/** Writes a pattern of lower-case names so that it takes them in any case: Node 22 knows no `(?i:…)`. */
function inAnyCase(names: string): string {
  return names.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}
