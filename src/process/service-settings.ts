import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { MendableError } from '../platform/mendable.ts'
import type { ReadServiceConfig, ServiceConfig } from '../service/config/service-config.ts'
import { ConfigError } from './config/config.ts'

type Reloaded =
  | {
      outcome: 'taken'
      models: number
      endpoints: number
      newKeys: string[]
      keptKeys: string[]
    }
  /** Nothing has changed. */
  | { outcome: 'refused'; problems: string[] }

export interface ServiceSettingsDeps {
  first: ServiceConfig
  readAgain: (() => ReadServiceConfig | Promise<ReadServiceConfig>) | undefined
  findKeptKeys?: (names: Iterable<string>) => string[]
  log: Pick<Logger, 'info' | 'error'>
}

export type ServiceSettings = ReturnType<typeof createServiceSettings>

/** Keeps the service's config that counts now, over all epochs of a process. */
export function createServiceSettings({
  first,
  readAgain,
  findKeptKeys = () => [],
  log,
}: ServiceSettingsDeps) {
  let current = first
  let take: (config: ServiceConfig) => void = () => {}
  /** One after the other: what was read later counts. */
  let reloads: Promise<unknown> = Promise.resolve()
  return { current: () => current, serve, reload }

  /** Calls a function with each config that is read from here on. An error of it refuses the config. */
  function serve(onConfig: (config: ServiceConfig) => void): void {
    take = onConfig
  }

  /**
   * Reads the config again, and with it the keys that it names as `.env` has them now. It is taken whole, or nothing
   * changes. A key that the process was started with outside `.env` stays: a running process cannot be given another one.
   *
   * @param read Makes the config in another way than by reading it again.
   */
  function reload(read = readAgain): Promise<Reloaded> {
    const reloading = reloads.then(() => reloadNow(read))
    reloads = reloading.catch(() => {})
    return reloading
  }

  async function reloadNow(read: ServiceSettingsDeps['readAgain']): Promise<Reloaded> {
    const reloaded = await takeAgain(read)
    if (reloaded.outcome === 'taken') log.info(reloaded, 'service config read again')
    else log.error(reloaded, 'service config not read again, the one before counts on')
    return reloaded
  }

  async function takeAgain(readAgain: ServiceSettingsDeps['readAgain']): Promise<Reloaded> {
    if (readAgain === undefined) {
      return refuse(['SERVICE_CONFIG: it is not set, or no service runs in this process'])
    }
    const read = await orProblems(readAgain)
    if (!read.ok) return refuse(read.problems)
    const { config } = read
    const problems = findFixed(current, config)
    if (problems.length > 0) return refuse(problems)
    try {
      take(config)
    } catch (error) {
      log.error({ err: error }, 'service config cannot be put into effect')
      return refuse(['its providers cannot be made, the log of the process has why'])
    }
    const newKeys = [...config.keys].filter(([name, key]) => current.keys.get(name) !== key)
    current = config
    const { chat, generation, keys } = config
    return {
      outcome: 'taken',
      models: chat.models.length,
      endpoints: Object.keys(generation).length,
      newKeys: newKeys.map(([name]) => name),
      keptKeys: findKeptKeys(keys.keys()),
    }
  }
}

/** Where the keys or other variables are wrong, that is a problem as one of the file is. */
async function orProblems(
  readAgain: () => ReadServiceConfig | Promise<ReadServiceConfig>,
): Promise<ReadServiceConfig> {
  try {
    return await readAgain()
  } catch (error) {
    if (!(error instanceof MendableError)) throw error
    return {
      ok: false,
      problems: error instanceof ConfigError ? [...error.problems] : [error.message],
    }
  }
}

function refuse(problems: string[]): Reloaded {
  return { outcome: 'refused', problems }
}

function findFixed(before: ServiceConfig, after: ServiceConfig): string[] {
  const {
    chat: _chat,
    generation: _generation,
    keys: _keys,
    usdMicroRub: _usdMicroRub,
    ...fixed
  } = { ...before, ...after }
  return Object.keys(fixed)
    .filter((name) => !isDeepStrictEqual(Reflect.get(before, name), Reflect.get(after, name)))
    .map((name) => `${name}: is read at the start only; start the process anew to change it`)
}
