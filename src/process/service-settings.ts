import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { MendableError } from '../platform/mendable.ts'
import type { ReadServiceConfig, ServiceConfig } from '../service/config/service-config.ts'
import { ConfigError } from './config.ts'

type Reloaded =
  | { outcome: 'taken'; models: number; endpoints: number }
  | { outcome: 'refused'; problems: string[] }

type Read = () => ReadServiceConfig | Promise<ReadServiceConfig>

/** The parts of a config that are read at the start only. */
const FIXED = ['retention'] as const satisfies (keyof ServiceConfig)[]

export type ServiceSettings = ReturnType<typeof createServiceSettings>

export function createServiceSettings({
  first,
  readAgain = refuseReading,
  log,
}: {
  first: ServiceConfig
  readAgain?: Read | undefined
  log: Pick<Logger, 'info' | 'error'>
}) {
  let current = first
  let take: (config: ServiceConfig) => void = () => {}
  /** One after the other: the last one that was read counts. */
  let reloads: Promise<unknown> = Promise.resolve()
  return { current: () => current, serve, reload }

  /** Calls a function with each later config. An error of it refuses the config. */
  function serve(onConfig: (config: ServiceConfig) => void): void {
    take = onConfig
  }

  /** Reads the config again, with the keys of `.env` as it is now. It is taken whole, or nothing changes. */
  function reload(read: Read = readAgain): Promise<Reloaded> {
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
    if (!read.ok) return refuse(read.problems)
    const { config } = read
    const problems = FIXED.filter((name) => !isDeepStrictEqual(current[name], config[name])).map(
      (name) => `${name}: is read only at the start; start the process anew`,
    )
    if (problems.length > 0) return refuse(problems)
    try {
      take(config)
    } catch (error) {
      log.error({ err: error }, 'service config cannot be put into effect')
      return refuse(['its providers cannot be made, the log of the process has why'])
    }
    current = config
    const { chat, generation } = config
    return {
      outcome: 'taken',
      models: chat.models.length,
      endpoints: Object.keys(generation).length,
    }
  }
}

function refuse(problems: string[]): Reloaded {
  return { outcome: 'refused', problems }
}

/** A wrong environment is a problem, as a wrong file is. */
async function readNext(read: Read): Promise<ReadServiceConfig> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, problems: [...error.problems] }
    if (error instanceof MendableError) return { ok: false, problems: [error.message] }
    throw error
  }
}

function refuseReading(): ReadServiceConfig {
  const problem = 'SERVICE_CONFIG: it is not set, or no service runs in this process'
  return { ok: false, problems: [problem] }
}
