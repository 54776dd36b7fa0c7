import { type Static, Type } from 'typebox'
import type { JsonObject } from '../../platform/http/json.ts'
import { OMISSIBLE } from '../providers/openai/request-form.ts'
import type { Keys } from './fields.ts'
import * as field from './fields.ts'
import { findPriceProblems, priceFields } from './price-fields.ts'

const SECONDS_MAX = 3600

const tokens = field.whole(1, 100_000_000, 'of tokens ')
const seconds = (minimum: number) =>
  Type.Number({
    minimum,
    maximum: SECONDS_MAX,
    description: `a number of seconds from ${minimum} to ${SECONDS_MAX}`,
  })

type Value = string | { value_env: string }

const HeaderValue = Type.Unsafe<Value>({
  // The pattern is a rule for texts, the others are rules for objects.
  type: ['string', 'object'],
  pattern: field.ONE_LINE.source,
  required: ['value_env'],
  properties: { value_env: field.keyName },
  additionalProperties: false,
  description: `${field.ONE_LINE_WORDS}, or an object with value_env, the name of a variable that holds it`,
})

/** Headers that decide how a request is read and answered are ours. Many proxies drop names with an underscore. */
const OWN_HEADERS =
  'host|connection|content-length|content-type|transfer-encoding|te|upgrade|expect|keep-alive|accept'
// Node 22 has no `(?i:…)`.
const OWN_HEADERS_IN_ANY_CASE = OWN_HEADERS.replaceAll(
  /[a-z]/g,
  (letter) => `[${letter}${letter.toUpperCase()}]`,
)
const HEADER_NAME = `^(?!(?:${OWN_HEADERS_IN_ANY_CASE})$)[!#$%&'*+.^\`|~0-9A-Za-z-]+$`
const HEADERS =
  'an object of header names and their values; what HTTP and its JSON need is not among them'
/** Fields that the request itself sets, or that would make several answers of one, are ours. */
const BODY_FIELD =
  '^(?!(?:model|messages|stream|max_tokens|max_completion_tokens|n|tools|functions)$)'
const BODY = 'an object of fields that the request does not have by itself'

const { properties: upstreamFields } = Type.Partial(
  Type.Object({
    name: field.matching('^[!-~]{1,100}$', 'a name of 1 to 100 characters without spaces'),
    api_key_env: field.keyName,
    output_limit: field.oneOf(
      ['max_tokens', 'max_completion_tokens'],
      'max_tokens or max_completion_tokens',
    ),
    omit: Type.Array(field.oneOf(OMISSIBLE), { description: `a list of ${OMISSIBLE.join(', ')}` }),
    headers: Type.Unsafe<Readonly<Record<string, Value>>>({
      type: 'object',
      propertyNames: { pattern: HEADER_NAME, description: HEADERS },
      additionalProperties: HeaderValue,
      description: HEADERS,
    }),
    body: Type.Unsafe<JsonObject>({
      type: 'object',
      propertyNames: { pattern: BODY_FIELD, description: BODY },
      description: BODY,
    }),
    timeouts: field.partial(
      {
        connect_seconds: seconds(0.1),
        first_event_seconds: seconds(0.1),
        silence_seconds: seconds(0.1),
      },
      'an object of connect_seconds, first_event_seconds and silence_seconds',
    ),
  }),
)
const ChatUpstreamConfig = field.providerOf({
  // A model that is switched to the demo for a while may keep the rest of its provider.
  demo: {
    ...upstreamFields,
    base_url: Type.Optional(field.httpUrl),
    model: Type.Optional(field.modelName),
  },
  openai: { ...upstreamFields, base_url: field.httpUrl, model: field.modelName },
})
export type ChatUpstreamConfig = Static<typeof ChatUpstreamConfig>

const ChatModelConfig = field.record(
  {
    id: field.matching('^[!-~]{1,200}$', 'a model id of 1 to 200 characters without spaces'),
    family: field.text('a name of the family'),
    context_tokens: tokens,
    ...priceFields,
    usd_rub: Type.Optional(field.roubles),
    /** The charge: the tokens at these prices, or the cost that the provider reports, at most the hold. */
    price_by: Type.Optional(field.oneOf(['tokens', 'reported'], 'tokens or reported')),
    default_max_tokens: Type.Optional(tokens),
    /** Held for what the model thinks, where its provider does not count that as a part of `max_tokens`. */
    thinking_tokens: Type.Optional(tokens),
    provider: Type.Optional(ChatUpstreamConfig),
    upstreams: Type.Optional(field.list(ChatUpstreamConfig, 'a list of at least one upstream')),
    cool_down_seconds: Type.Optional(seconds(0)),
  },
  'an object that describes a model',
)
export type ChatModelConfig = Static<typeof ChatModelConfig>

export const ChatConfig = field.record(
  { models: field.list(ChatModelConfig, 'a list of at least one model') },
  'an object with the list models',
)
type ChatConfig = Static<typeof ChatConfig>

export function listUpstreams({
  provider,
  upstreams,
}: Pick<ChatModelConfig, 'provider' | 'upstreams'>): readonly ChatUpstreamConfig[] {
  return upstreams ?? (provider === undefined ? [] : [provider])
}

export function isDemo({ models }: ChatConfig): boolean {
  return models.every((model) => listUpstreams(model).every(({ type }) => type === 'demo'))
}

export function toUpstreamName({ name, type, base_url = '' }: ChatUpstreamConfig): string {
  return name ?? (type === 'demo' ? 'demo' : new URL(base_url).host)
}

export function readValue(configured: Value, keys: Keys): string {
  return typeof configured === 'string' ? configured : (keys.get(configured.value_env) ?? '')
}

/** Finds what no schema finds, each with its path. */
export function* findChatProblems({ models }: ChatConfig): Generator<string> {
  const ids = models.map(({ id }) => id)
  for (const [index, model] of models.entries()) {
    const path = `chat.models[${index}]`
    const { id, context_tokens, default_max_tokens = 0, provider, upstreams = [] } = model
    if (ids.indexOf(id) < index) yield `${path}.id: an id that no other model has`
    if (default_max_tokens > context_tokens) {
      yield `${path}.default_max_tokens: at most context_tokens`
    }
    yield* findPriceProblems(model, path)
    if ((provider === undefined) === (model.upstreams === undefined)) {
      yield `${path}: either a provider or a list of upstreams`
    }
    const names = upstreams.map(toUpstreamName)
    for (const name of new Set(names.filter((name, index) => names.indexOf(name) < index))) {
      yield `${path}.upstreams: a name of its own for each, two are called ${name}`
    }
  }
}
