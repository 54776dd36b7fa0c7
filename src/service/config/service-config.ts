/**
 * Reads and checks SERVICE_CONFIG, the file of what the service sells and which providers do the work.
 * Invariant: no value of the environment, which may be a key, is in a problem.
 */
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { parseRub } from '../../contract/money.ts'
import { createCheck } from '../../platform/guard.ts'
import { readText as readUtf8 } from '../../platform/read-text.ts'
import type { ProviderAccess } from '../providers/provider-http.ts'
import { ChatConfig, findChatProblems } from './chat-config.ts'
import type { Keys } from './fields.ts'
import * as field from './fields.ts'
import { GenerationConfig } from './generation-config.ts'

const days = field.whole(1, 36_500, 'of days ')

/** How long the service keeps rows and files that it can do without. Without a number it keeps them for ever. */
const RetentionConfig = field.partial(
  {
    holds_days: days,
    /** The files of tasks, after they have succeeded. Links to them lead nowhere then. */
    media_days: days,
  },
  'an object with holds_days and media_days',
)
export type RetentionConfig = Static<typeof RetentionConfig>

const ServiceFile = field.record(
  {
    chat: ChatConfig,
    generation: Type.Optional(GenerationConfig),
    retention: Type.Optional(RetentionConfig),
  },
  'an object with chat and generation, perhaps retention',
)
const findSchemaProblems = createCheck(ServiceFile)

export interface ServiceConfig extends Static<typeof ServiceFile> {
  generation: GenerationConfig
  keys: Keys
  /** The rate of costs that providers report, for models without one of their own. */
  usdMicroRub?: bigint | undefined
}

export type ReadServiceConfig =
  | { ok: true; config: ServiceConfig }
  | { ok: false; problems: string[] }

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the text of a file. @throws What the system says. */
export type ReadText = (path: string) => string

export function readServiceFile(
  path: string,
  env: Environment,
  readText: ReadText = readUtf8,
): ReadServiceConfig {
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException
    return { ok: false, problems: [`cannot read the file "${path}" (${code})`] }
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    const position = findPosition(error as SyntaxError, text)
    return { ok: false, problems: [`the file "${path}" should be JSON${position}`] }
  }
  return parseServiceConfig(json, env)
}

/** V8 names the position of most mistakes. It quotes the text there, so its words are not repeated. */
function findPosition({ message }: SyntaxError, text: string): string {
  const position = / at position (\d+)/.exec(message)?.[1]
  if (position === undefined) return ''
  const lines = text.slice(0, Number(position)).split('\n')
  return `: look at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

/** Checks the JSON of SERVICE_CONFIG: each field, then how they fit together. The keys are in `env`. */
export function parseServiceConfig(json: unknown, env: Environment): ReadServiceConfig {
  const problems = findSchemaProblems(json)
  const keys = new Map<string, string>()
  for (const { path, name } of findKeyNames(json)) {
    const key = env[name]
    if (!key) problems.push(`${path}: ${describeUnset(name)}`)
    else if (!field.ONE_LINE.test(key))
      problems.push(`${path}: a variable with ${field.ONE_LINE_WORDS}`)
    else keys.set(name, key)
  }
  if (problems.length > 0) return { ok: false, problems }
  const file = json as Static<typeof ServiceFile>
  const chatProblems = [...findChatProblems(file.chat)]
  if (chatProblems.length > 0) return { ok: false, problems: chatProblems }
  const usdMicroRub = parseRub(env.USD_RUB?.trim() ?? '')
  return { ok: true, config: { generation: {}, ...file, keys, usdMicroRub } }
}

/** Some write the key itself where its variable should be named: what may be one is not repeated. */
function describeUnset(name: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(name)
    ? `the name of an environment variable that is set, and ${name} is not`
    : 'the name of an environment variable that is set, of A-Z, 0-9 and _, not the key itself'
}

/** Finds the names of variables, each with its path. The demo needs no keys, and an upstream's `body` is its own. */
function* findKeyNames(value: unknown, path = ''): Generator<{ path: string; name: string }> {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value && value.type === 'demo') return
  for (const [name, part] of Object.entries(value)) {
    const partPath = Array.isArray(value) ? `${path}[${name}]` : `${path}${path && '.'}${name}`
    if (name === 'body') continue
    if (name.endsWith('_env') && typeof part === 'string') yield { path: partPath, name: part }
    else yield* findKeyNames(part, partPath)
  }
}

/** Returns how a provider is reached. A provider that names no key is called without a key. */
export function toAccess(
  { base_url, api_key_env = '' }: { base_url: string; api_key_env?: string },
  keys: Keys,
): ProviderAccess {
  return { baseUrl: base_url, apiKey: keys.get(api_key_env) }
}

/** Returns the config without SERVICE_CONFIG: the demo providers, at prices like real ones. */
export function builtInServiceConfig(): ServiceConfig {
  const file: Omit<ServiceConfig, 'keys'> = JSON.parse(
    readUtf8(join(import.meta.dirname, 'demo.json')),
  )
  return { ...file, keys: new Map() }
}

/** Makes the config for while it is not known what can be sold. */
export function emptyServiceConfig(): ServiceConfig {
  return { chat: { models: [] }, generation: {}, keys: new Map() }
}
