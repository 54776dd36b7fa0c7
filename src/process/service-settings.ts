import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { MendableError } from '../platform/mendable.ts'
import type { ReadServiceConfig, ServiceConfig } from '../service/config/service-config.ts'
import { ConfigError } from './config.ts'

type Reloaded =
  | { outcome: 'taken'; models: number; endpoints: number; newKeys: string[]; keptKeys: string[] }
  /** Nothing has changed. */
  | { outcome: 'refused'; problems: string[] }

type Read = () => ReadServiceConfig | Promise<ReadServiceConfig>

/** The parts of a config that are read at the start only. */
const FIXED = ['storage', 'retention'] as const satisfies (keyof ServiceConfig)[]

interface ServiceSettingsDeps {
  first: ServiceConfig
  readAgain: Read | undefined
  findKeptKeys?: (names: Iterable<string>) => string[]
  log: Pick<Logger, 'info' | 'error'>
}

export type ServiceSettings = ReturnType<typeof createServiceSettings>

/** Keeps the service's config that counts now. */
export function createServiceSettings(deps: ServiceSettingsDeps) {
  const { first, readAgain, findKeptKeys = () => [], log } = deps
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
  function reload(read: Read = readAgain ?? refuseReading): Promise<Reloaded> {
    const reloading = reloads.then(async () => {
      const reloaded = takeNext(await readNext(read))
      if (reloaded.outcome === 'taken') log.info(reloaded, 'service config read again')
      else log.error(reloaded, 'service config not read again, the one before counts on')
      return reloaded
    })
    reloads = reloading.catch(() => {})
    return reloading
  }

  function takeNext(read: ReadServiceConfig): Reloaded {
    if (!read.ok) return { outcome: 'refused', problems: read.problems }
    const { config } = read
    const problems = FIXED.filter((name) => !isDeepStrictEqual(current[name], config[name])).map(
      (name) => `${name}: is read at the start only; start the process anew to change it`,
    )
    if (problems.length > 0) return { outcome: 'refused', problems }
    try {
      take(config)
    } catch (error) {
      log.error({ err: error }, 'service config cannot be put into effect')
      const problem = 'its providers cannot be made, the log of the process has why'
      return { outcome: 'refused', problems: [problem] }
    }
    const newKeys = [...config.keys].filter(([name, key]) => current.keys.get(name) !== key)
    current = config
    return {
      outcome: 'taken',
      models: config.chat.models.length,
      endpoints: Object.keys(config.generation).length,
      newKeys: newKeys.map(([name]) => name),
      keptKeys: findKeptKeys(config.keys.keys()),
    }
  }
}

/** A wrong environment is a problem as one of the file is. */
async function readNext(read: Read): Promise<ReadServiceConfig> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, problems: [...error.problems] }
    if (error instanceof MendableError) return { ok: false, problems: [error.message] }
    throw error
  }
}

const refuseReading: Read = () => ({
  ok: false,
  problems: ['SERVICE_CONFIG: it is not set, or no service runs in this process'],
})
