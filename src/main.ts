import process from 'node:process'
import type { Logger } from 'pino'
import { isDatabaseTrouble } from './platform/database/trouble.ts'
import { readBuildInfo } from './platform/installation.ts'
import { createLog, createPrettyOutput, openLogOutput } from './platform/log.ts'
import { MendableError } from './platform/mendable.ts'
import { systemClock } from './platform/time/clock.ts'
import { type Config, ConfigError, readConfig } from './process/config.ts'
import { openContext, type ProcessContext } from './process/context.ts'
import { openEnvironment, type ProcessEnvironment } from './process/environment.ts'
import {
  createHangUp,
  createLifecycle,
  createStopSignals,
  type Lifecycle,
} from './process/lifecycle.ts'
import { OwnModels } from './process/own-models.ts'
import { openProxies } from './process/process-proxies.ts'
import { startRoles } from './process/roles.ts'
import { createServiceSettings } from './process/service-settings.ts'
import {
  type ReadServiceConfig,
  readServiceFile,
  type ServiceConfig,
} from './service/config/service-config.ts'

const MENDABLE = 2
/** The exit status of a process that should be started again and cannot replace itself (EX_TEMPFAIL). */
const START_AGAIN = 75
/** How long a process that lost its lease tries to store the ends of its requests before it is replaced. */
const LOST_MS_MAX = 60_000
const REPLACE_PAUSE_MS = 1_000
const REPLACEMENT = 'KOPECK_REPLACEMENT'

/** Runs Kopeck in this process until a signal ends it. A process that lost its lease stops, and replaces itself. */
export async function start(roleArgs: readonly string[]): Promise<void> {
  const { [REPLACEMENT]: replacement, ...given } = process.env
  delete process.env[REPLACEMENT]
  const environment = openEnvironment()
  const config = configOrExit(environment, roleArgs)
  const isPretty = (config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty'
  const output = openLogOutput({ isWatched: isPretty })
  const log = createLog(config.logLevel, isPretty ? await createPrettyOutput(output) : output)
  const build = await readBuildInfo()
  for (const note of config.notes) process.stderr.write(`Note: ${note}\n`)
  const proxies = openProxies(config, log)
  const ownModels =
    config.openAi &&
    new OwnModels({
      readSettings: () => readConfig(environment.read(), roleArgs).openAi,
      log,
      proxies: proxies.upstream,
    })
  const settings = createServiceSettings({
    first: ownModels === undefined ? config.service : await askFirst(ownModels),
    readAgain: ownModels ? () => ownModels.read() : findReading(config, environment),
    log,
  })
  const onError = (err: unknown) => log.error({ err }, 'cannot stop in order')
  const lifecycle = createLifecycle({ ...config.stop, onError })
  const foundation = createLifecycle({ stopMs: 0, onError })
  let isToEnd = false
  const takeSignal = createStopSignals({
    stop: () => {
      log.info('stopping')
      isToEnd = true
      // A process that is about to replace itself may need longer for its end than a stop has.
      if (lifecycle.isStopping()) setTimeout(() => process.exit(0), config.stop.stopMs)
      void stopAndExit(lifecycle, 0)
    },
    endNow: () => {
      log.warn('ending at once')
      void stopAndExit(foundation, 1)
    },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, takeSignal)
  process.on('SIGHUP', createHangUp({ stop: takeSignal, reload: () => void settings.reload() }))
  let context: ProcessContext | undefined
  try {
    if (ownModels !== undefined) lifecycle.add(ownModels.keepAsking(settings.reload))
    context = await openContext({
      config,
      build,
      settings,
      ownModels,
      proxies,
      log,
      lifecycle,
      foundation,
      isAtTerminal: isPretty,
      isReplacement: replacement !== undefined,
      onLost: () => {
        if (lifecycle.isStopping()) return
        log.warn('lease lost, starting again')
        void replace()
      },
    })
    const { whenFailed } = await startRoles(context)
    await whenFailed
  } catch (error) {
    // An error of something that a stop breaks off is no failure: the stop ends the process, with its own status.
    if (lifecycle.isStopping()) return
    if (!isDatabaseTrouble(error)) {
      await stopAndExit(lifecycle, reportFailure(error as Error, log))
    }
    log.error({ err: error }, 'the database is away, starting again')
    await replace()
  }

  async function replace(): Promise<void> {
    await lifecycle.stop(0, LOST_MS_MAX)
    await systemClock.sleep(REPLACE_PAUSE_MS)
    if (isToEnd) return
    // Nothing is written after this moment, and execve runs no handlers of the exit.
    log.flush()
    // Its addresses stay true if the system chose the port.
    const port = config.listen.port === 0 && context && { PORT: `${context.listener.bound.port}` }
    const env = { ...given, ...port, [REPLACEMENT]: '1' }
    const { execPath, execArgv, argv } = process
    if (process.execve === undefined || process.platform === 'win32') process.exit(START_AGAIN)
    process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], env)
  }
}

function configOrExit({ read }: ProcessEnvironment, roleArgs: readonly string[]): Config {
  try {
    return readConfig(read(), roleArgs)
  } catch (error) {
    if (!(error instanceof MendableError)) throw error
    return exitWith(error instanceof ConfigError ? error.problems : [error.message])
  }
}

/** Asks the upstream for its models before anything is opened: what the operator wants to sell may not be for sale. */
async function askFirst(ownModels: OwnModels): Promise<ServiceConfig> {
  const read = await ownModels.read()
  return read.ok ? read.config : exitWith(read.problems)
}

function exitWith(problems: readonly string[]): never {
  const lines = problems.map((problem) => `  ${problem}\n`).join('')
  process.stderr.write(`Kopeck cannot start with this configuration:\n${lines}`)
  process.exit(MENDABLE)
}

function reportFailure(error: Error, log: Logger): number {
  if (error instanceof MendableError) {
    process.stderr.write(`${error.message}\n`)
    return error.status
  }
  log.fatal({ err: error }, 'cannot go on')
  return 1
}

function findReading(
  { roles, serviceFile }: Config,
  { read }: Pick<ProcessEnvironment, 'read'>,
): (() => ReadServiceConfig) | undefined {
  if (!roles.has('service') || serviceFile === undefined) return undefined
  return () => readServiceFile(serviceFile, read())
}

async function stopAndExit(lifecycle: Lifecycle, code: number): Promise<never> {
  await lifecycle.stop()
  process.exit(code)
}
