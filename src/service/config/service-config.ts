import { MICRO_RUB_PER_RUB } from '../../contract/money.ts'
import { HTTP_URL, MODEL_NAME, toMicroRub } from './service-config-fields.ts'
import {
  builtInGenerationConfig,
  findGenerationProblems,
  type GenerationConfig,
  toGenerationConfig,
} from './service-config-generation.ts'
import { type ModelJson, ServiceConfigJson } from './service-config-json.ts'
import { createCheck, type Env, findKeyProblems } from './service-config-problems.ts'
import { findStorageProblems, type S3Config, toS3Config } from './service-config-storage.ts'

/** What the service sells and who does the work. Secrets are in it: it is never logged. */
export interface ServiceConfig {
  chat: { models: readonly ChatModelConfig[] }
  generation: GenerationConfig
  /** Where results are kept; on disk if it is missing. */
  storage?: S3Config
}

export interface ChatModelConfig {
  id: string
  family: string
  contextTokens: number
  /** Micro-roubles per 1 million tokens, exactly as they were written. */
  promptMicroRubPer1m: bigint
  completionMicroRubPer1m: bigint
  /** Held for when a request names no `max_tokens`. */
  defaultMaxTokens: number
  provider: ChatProviderConfig
}

export type ChatProviderConfig =
  | { type: 'demo' }
  | { type: 'openai'; baseUrl: string; apiKey?: string; model: string }

export type ParsedServiceConfig =
  | { ok: true; config: ServiceConfig }
  | { ok: false; problems: string[] }

const DEFAULT_MAX_TOKENS = 4096

/** What the service sells when SERVICE_CONFIG is not set: the demo providers, at prices like real ones. */
export function builtInServiceConfig(): ServiceConfig {
  return {
    chat: {
      models: [
        demoModel({ id: 'alpha-large', family: 'A', promptRub: 150n, completionRub: 600n }),
        demoModel({ id: 'alpha-small', family: 'A', promptRub: 30n, completionRub: 120n }),
        demoModel({ id: 'beta-large', family: 'B', promptRub: 300n, completionRub: 1500n }),
        demoModel({ id: 'beta-small', family: 'B', promptRub: 80n, completionRub: 400n }),
        demoModel({ id: 'gamma-large', family: 'C', promptRub: 200n, completionRub: 1200n }),
        demoModel({ id: 'gamma-medium', family: 'C', promptRub: 40n, completionRub: 240n }),
        demoModel({ id: 'gamma-small', family: 'C', promptRub: 10n, completionRub: 60n }),
      ],
    },
    generation: builtInGenerationConfig(),
  }
}

function demoModel({
  id,
  family,
  promptRub,
  completionRub,
}: {
  id: string
  family: 'A' | 'B' | 'C'
  promptRub: bigint
  completionRub: bigint
}): ChatModelConfig {
  return {
    id,
    family,
    contextTokens: family === 'C' ? 1_100_000 : 1_000_000,
    promptMicroRubPer1m: promptRub * MICRO_RUB_PER_RUB,
    completionMicroRubPer1m: completionRub * MICRO_RUB_PER_RUB,
    defaultMaxTokens: 4096,
    provider: { type: 'demo' },
  }
}

/**
 * Reads the JSON of SERVICE_CONFIG.
 *
 * @param env Where `api_key_env` is looked up.
 * @returns The config, or every problem as `path: what it should be`.
 */
export function parseServiceConfig(json: unknown, env: Env): ParsedServiceConfig {
  const problems = [
    ...createCheck(ServiceConfigJson)(json),
    ...findModelProblems(json, env),
    ...findGenerationProblems((json as Partial<ServiceConfigJson> | null)?.generation, env),
    ...findStorageProblems((json as Partial<ServiceConfigJson> | null)?.storage, env),
  ]
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, config: toConfig(json as ServiceConfigJson, env) }
}

/** What no schema says. Looks at whatever is there, so that these come with the schema's problems. */
function findModelProblems(json: unknown, env: Env): string[] {
  const models = (json as Partial<ServiceConfigJson> | null)?.chat?.models
  if (!Array.isArray(models)) return []
  const seen = new Set<string>()
  return models.flatMap((model: Partial<ModelJson> | null, index) => {
    const path = `chat.models[${index}]`
    const problems: string[] = []
    const { id, context_tokens, default_max_tokens, provider } = model ?? {}
    if (typeof id === 'string' && seen.size === seen.add(id).size) {
      problems.push(`${path}.id: an id that no other model has`)
    }
    if (Number(default_max_tokens) > Number(context_tokens)) {
      problems.push(`${path}.default_max_tokens: at most context_tokens`)
    }
    if (provider?.type === 'openai') {
      problems.push(...findOpenAiProblems(provider, `${path}.provider`, env))
    }
    return problems
  })
}

function findOpenAiProblems(
  { base_url, api_key_env, model }: Partial<ModelJson['provider']>,
  path: string,
  env: Env,
): string[] {
  const problems: string[] = []
  if (base_url === undefined) problems.push(`${path}.base_url: ${HTTP_URL}`)
  if (model === undefined) problems.push(`${path}.model: ${MODEL_NAME}`)
  return [...problems, ...findKeyProblems(api_key_env, `${path}.api_key_env`, env)]
}

function toConfig({ chat, generation, storage }: ServiceConfigJson, env: Env): ServiceConfig {
  return {
    chat: { models: chat.models.map((model) => toModel(model, env)) },
    generation: toGenerationConfig(generation ?? {}, env),
    ...(storage && { storage: toS3Config(storage, env) }),
  }
}

function toModel(model: ModelJson, env: Env): ChatModelConfig {
  const { type, base_url = '', api_key_env, model: name = '' } = model.provider
  const apiKey = api_key_env === undefined ? undefined : env[api_key_env]
  return {
    id: model.id,
    family: model.family,
    contextTokens: model.context_tokens,
    promptMicroRubPer1m: toMicroRub(model.prompt_rub_per_1m),
    completionMicroRubPer1m: toMicroRub(model.completion_rub_per_1m),
    defaultMaxTokens: Math.min(
      model.default_max_tokens ?? DEFAULT_MAX_TOKENS,
      model.context_tokens,
    ),
    provider:
      type === 'demo'
        ? { type }
        : { type, baseUrl: base_url, model: name, ...(apiKey !== undefined && { apiKey }) },
  }
}
