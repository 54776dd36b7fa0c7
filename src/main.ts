import type { DestinationStream, Logger } from 'pino'
import { readBuildInfo } from './platform/build-info.ts'
import { LeaseLostError } from './platform/database/instance/instance.ts'
import { isDatabaseTrouble } from './platform/database/trouble.ts'
import { foldRepeats } from './platform/fold-repeats.ts'
import { createLog, openLogOutput } from './platform/log.ts'
import { MendableError } from './platform/mendable.ts'
import { systemClock } from './platform/time/clock.ts'
import { settleWithin } from './platform/time/graceful-stop.ts'
import { createLifecycle, type Lifecycle } from './platform/time/lifecycle.ts'
import { type Config, ConfigError, readConfig } from './process/config/config.ts'
import { openEnvironment, type ProcessEnvironment } from './process/config/environment.ts'
import { beginEpoch } from './process/epoch/epoch.ts'
import type { Ground } from './process/epoch/ground.ts'
import { OwnModels } from './process/own-models.ts'
import { prepareGround } from './process/prepare-ground.ts'
import { openProxies } from './process/process-proxies.ts'
import { createServiceSettings } from './process/service-settings.ts'
import { createHangUp, createStopSignals } from './process/signals.ts'
import type { ServiceConfig } from './service/config/service-config.ts'
import { type ReadServiceConfig, readServiceFile } from './service/config/service-config.ts'

const EPOCH_STOP_MS = 10_000
const HURRY_MS = 0
/** The exit status after what the operator can mend: the same start again would end in the same way. */
const MENDABLE = 2
const EPOCH_PAUSE_MS = 1_000

/**
 * Runs Kopeck in this process until a signal ends it. What the operator can mend is described to them without a stack
 * trace, and ends the process with status 2.
 *
 * @param roleArgs The roles that run: all of them where none is named.
 */
export async function start(roleArgs: readonly string[]): Promise<void> {
  const environment = openEnvironment()
  const { env, config } = configOrExit(environment, roleArgs)
  const isPretty = (config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty'
  const log = createLog(config.logLevel, await openLog({ isPretty }))
  const build = await readBuildInfo()
  for (const note of config.notes) process.stderr.write(`Note: ${note}\n`)
  const proxies = openProxies(config, log)
  const ownModels =
    config.openAi &&
    new OwnModels({
      settings: config.openAi,
      readSettings: () => readConfig(environment.read(), roleArgs).openAi,
      log,
      proxies: proxies.upstream,
    })
  const settings = createServiceSettings({
    first: ownModels === undefined ? config.service : await askFirst(ownModels),
    readAgain: ownModels ? () => ownModels.read() : findReading(config, environment),
    findKeptKeys: environment.findKept,
    log,
  })
  const onError = onStopError(log)
  const lifecycle = createLifecycle({ ...config.stop, onError })
  // Its parts end even where the process ends at once.
  const foundation = createLifecycle({ stopMs: HURRY_MS, onError })
  const takeSignal = createStopSignals({
    stop: () => {
      log.info('stopping')
      void stopAndExit(lifecycle, 0)
    },
    hurry: () => {
      log.warn('stopping at once: what is under way is broken off')
      void lifecycle.stop(HURRY_MS)
    },
    endNow: () => {
      log.warn('ending at once')
      void stopAndExit(foundation, 1)
    },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, takeSignal)
  process.on('SIGHUP', createHangUp({ stop: takeSignal, reload: () => void settings.reload() }))
  try {
    if (ownModels !== undefined) lifecycle.add(ownModels.keepAsking(settings.reload))
    const ground = await prepareGround({
      config,
      build,
      env,
      settings,
      ownModels,
      proxies,
      log,
      lifecycle,
      foundation,
      isAtTerminal: isPretty,
    })
    await runEpochs(ground, lifecycle)
  } catch (error) {
    // An error of something that a stop breaks off is no failure: the stop ends the process, with its own status.
    if (lifecycle.isStopping()) return
    await stopAndExit(lifecycle, reportFailure(error as Error, log))
  }
}

async function runEpochs(ground: Ground, lifecycle: Lifecycle): Promise<void> {
  const { log } = ground
  const troubles = foldRepeats(log)
  while (!lifecycle.isStopping()) {
    const life = createLifecycle({ stopMs: ground.config.stop.stopMs, onError: onStopError(log) })
    lifecycle.add(life.stop)
    try {
      const epoch = await beginEpoch(ground, life)
      await epoch.whenOver
    } catch (error) {
      if (lifecycle.isStopping()) return
      if (error instanceof LeaseLostError) log.warn('lease lost, beginning again')
      // It has been migrated, so it is there; it may be away, or too busy to answer, just when an epoch begins.
      else if (!isDatabaseTrouble(error)) throw error
      else troubles.error({ err: error }, 'cannot begin, trying on')
    }
    ground.instanceName = undefined
    // A part that hangs is left behind: it can change nothing any more.
    await settleWithin([life.stop(0)], EPOCH_STOP_MS)
    await systemClock.sleep(EPOCH_PAUSE_MS)
  }
}

function configOrExit(
  environment: ProcessEnvironment,
  roleArgs: readonly string[],
): { env: NodeJS.ProcessEnv; config: Config } {
  try {
    const env = environment.read()
    return { env, config: readConfig(env, roleArgs) }
  } catch (error) {
    if (error instanceof ConfigError) return exitWith(error.problems)
    if (error instanceof MendableError) return exitWith([error.message])
    throw error
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

async function openLog({ isPretty }: { isPretty: boolean }): Promise<DestinationStream> {
  const output = openLogOutput({ isWatched: isPretty })
  if (!isPretty) return output
  const { createPrettyOutput } = await import('./process/pretty-output.ts')
  return createPrettyOutput(output)
}

function onStopError(log: Logger): (error: unknown) => void {
  return (error) => log.error({ err: error }, 'cannot stop in order')
}

async function stopAndExit(lifecycle: Lifecycle, code: number): Promise<never> {
  await lifecycle.stop()
  process.exit(code)
}
