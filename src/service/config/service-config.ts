import { type Static, Type } from 'typebox'
import { parseRub } from '../../contract/money.ts'
import { createCheck } from '../../platform/guard.ts'
import type { ProviderAccess } from '../providers/provider-http.ts'
import {
  ChatConfig,
  type ChatModelConfig,
  findChatProblems,
  findProxyProblems,
} from './chat-config.ts'
import { httpUrl, type Keys, keyName, ONE_LINE, ONE_LINE_WORDS, text } from './fields.ts'
import { BUILT_IN_GENERATION, GenerationConfig } from './generation-config.ts'
import { RetentionConfig } from './retention-config.ts'

const StorageConfig = Type.Object(
  {
    type: Type.Literal('s3', { description: 'a known storage type: s3' }),
    bucket: Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,62}$',
      description: 'the name of a bucket',
    }),
    /** The address without the bucket. */
    endpoint: httpUrl,
    region: Type.Optional(text('the name of a region')),
    access_key_id_env: keyName,
    secret_access_key_env: keyName,
    /** Root under which everyone may read the objects; without it they are read through this service. */
    public_url: Type.Optional(httpUrl),
  },
  { additionalProperties: false, description: 'an object that describes a bucket' },
)

const ServiceFile = Type.Object(
  {
    chat: ChatConfig,
    generation: Type.Optional(GenerationConfig),
    storage: Type.Optional(StorageConfig),
    retention: Type.Optional(RetentionConfig),
  },
  {
    additionalProperties: false,
    description: 'an object with chat and generation, perhaps storage and retention',
  },
)
const findSchemaProblems = createCheck(ServiceFile)

/** The service's offers and the providers that do the work, from the file that SERVICE_CONFIG names. */
export interface ServiceConfig extends Static<typeof ServiceFile> {
  generation: GenerationConfig
  keys: Keys
  /** The rate of costs that providers report, for models without one of their own. */
  usdMicroRub?: bigint | undefined
}

/** How a provider is reached, by its part of a checked config. One that names no key is called without. */
export function toAccess(
  { base_url, api_key_env = '' }: { base_url: string; api_key_env?: string },
  keys: Keys,
): ProviderAccess {
  return { baseUrl: base_url, apiKey: keys.get(api_key_env) }
}

export type ParsedServiceConfig =
  | { ok: true; config: ServiceConfig }
  | { ok: false; problems: string[] }

/** Returns the config without SERVICE_CONFIG: the demo providers, at prices like real ones. */
export function builtInServiceConfig(): ServiceConfig {
  return {
    chat: {
      models: [
        demoModel('alpha-large', 'A', { prompt: '150', completion: '600' }),
        demoModel('alpha-small', 'A', { prompt: '30', completion: '120' }),
        demoModel('beta-large', 'B', { prompt: '300', completion: '1500' }),
        demoModel('beta-small', 'B', { prompt: '80', completion: '400' }),
        demoModel('gamma-large', 'C', { prompt: '200', completion: '1200' }),
        demoModel('gamma-medium', 'C', { prompt: '40', completion: '240' }),
        demoModel('gamma-small', 'C', { prompt: '10', completion: '60' }),
      ],
    },
    generation: BUILT_IN_GENERATION,
    keys: new Map(),
  }
}

/** Makes the config for while it is not known what can be sold. */
export function emptyServiceConfig(): ServiceConfig {
  return { chat: { models: [] }, generation: {}, keys: new Map() }
}

function demoModel(
  id: string,
  family: 'A' | 'B' | 'C',
  rubPer1m: { prompt: string; completion: string },
): ChatModelConfig {
  return {
    id,
    family,
    context_tokens: family === 'C' ? 1_100_000 : 1_000_000,
    prompt_rub_per_1m: rubPer1m.prompt,
    completion_rub_per_1m: rubPer1m.completion,
    provider: { type: 'demo' },
  }
}

/**
 * Checks the JSON of SERVICE_CONFIG.
 *
 * @param env Where the keys are that the file names.
 * @returns The config, or every problem as `path: what it should be`.
 */
export function parseServiceConfig(
  json: unknown,
  env: Readonly<Record<string, string | undefined>>,
): ParsedServiceConfig {
  const problems = findFieldProblems(json)
  const keys = new Map<string, string>()
  for (const { path, name } of findKeyNames(json)) {
    const key = env[name]
    if (!key) problems.push(`${path}: ${describeUnset(name)}`)
    else if (!ONE_LINE.test(key)) problems.push(`${path}: a variable with ${ONE_LINE_WORDS}`)
    else keys.set(name, key)
  }
  if (problems.length > 0) return { ok: false, problems }
  const file = json as Static<typeof ServiceFile>
  const proxyProblems = findProxyProblems(file.chat, keys)
  if (proxyProblems.length > 0) return { ok: false, problems: proxyProblems }
  const usdMicroRub = parseRub(env.USD_RUB?.trim() ?? '')
  return { ok: true, config: { generation: {}, ...file, keys, usdMicroRub } }
}

/** Some write the key itself where its variable should be named: what may be one is not repeated. */
function describeUnset(name: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(name)
    ? `the name of an environment variable that is set, and ${name} is not`
    : 'the name of an environment variable that is set, of A-Z, 0-9 and _, not the key itself'
}

function findFieldProblems(json: unknown): string[] {
  return [...findSchemaProblems(json), ...findChatProblems(json)]
}

/**
 * Finds the names of variables in any JSON, each with its path. The demo needs no keys; what an upstream's
 * `body` has is the upstream's.
 */
function* findKeyNames(value: unknown, path = ''): Generator<{ path: string; name: string }> {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value && value.type === 'demo') return
  for (const [field, part] of Object.entries(value)) {
    const partPath = Array.isArray(value) ? `${path}[${field}]` : `${path}${path && '.'}${field}`
    if (field === 'body') continue
    if (field.endsWith('_env') && typeof part === 'string') yield { path: partPath, name: part }
    else yield* findKeyNames(part, partPath)
  }
}
