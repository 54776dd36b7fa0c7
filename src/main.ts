import type { DestinationStream, Logger } from 'pino'
import { SettingRefusedError } from './bot/telegram/errors.ts'
import { claimDataDir } from './platform/database/data-dir.ts'
import { DataDirRefusedError } from './platform/database/embedded/data-cluster.ts'
import { DataDirInUseError, startEmbeddedDatabase } from './platform/database/embedded/embedded.ts'
import { LeaseLostError } from './platform/database/instance.ts'
import { MigrationError, migrate } from './platform/database/migrate.ts'
import { DatabaseRefusedError } from './platform/database/server/check-server.ts'
import { isDatabaseTrouble } from './platform/database/trouble.ts'
import { foldRepeats } from './platform/fold-repeats.ts'
import { createLog, openLogOutput } from './platform/log.ts'
import { systemClock } from './platform/time/clock.ts'
import { settleWithin } from './platform/time/graceful-stop.ts'
import { createLifecycle, type Lifecycle } from './platform/time/lifecycle.ts'
import { PlaygroundRefusedError } from './playground/refused.ts'
import { type Config, ConfigError, readConfig } from './process/config.ts'
import { readEnvironment } from './process/environment.ts'
import { beginEpoch, type Ground, type Telegram } from './process/epoch.ts'
import { createHangUp } from './process/hang-up.ts'
import { createHealth } from './process/health.ts'
import { openHttpListener } from './process/http-listener.ts'
import { createPageOpening } from './process/open-page.ts'
import { createServiceSettings } from './process/reload/service-settings.ts'
import { createStopSignals } from './process/stop-signals.ts'
import { readServiceFile } from './service/config/read-service-file.ts'

/** Everything has ended by then: open replies get what the other parts leave of it. */
const STOP_MS_MAX = 23_000
/** What ends with a lost lease gets so long. */
const ANEW_STOP_MS = 10_000
/** After the third signal. */
const END_NOW_MS = 0
/** After a lost lease; also between attempts to begin anew. */
const BEGIN_ANEW_MS = 1_000

/**
 * Runs the roles, epoch after epoch, until the process stops.
 *
 * @throws What a part cannot go on for.
 */
async function run(config: Config, log: Logger, lifecycle: Lifecycle): Promise<void> {
  const ground = await prepareGround(config, log, lifecycle)
  const troubles = foldRepeats(log)
  for (let isFirst = true; !lifecycle.isStopping(); isFirst = false) {
    const life = createLifecycle({ stopMs: STOP_MS_MAX, onError: onStopError })
    lifecycle.add(life.stop)
    try {
      const epoch = await beginEpoch(ground, life)
      await epoch.whenOver
    } catch (error) {
      if (lifecycle.isStopping()) return
      if (error instanceof LeaseLostError) log.warn('lease lost, beginning anew')
      // The database may be away just when the process begins anew.
      else if (isFirst || !isDatabaseTrouble(error)) throw error
      else troubles.error({ err: error }, 'cannot begin anew, tried again')
    }
    ground.instanceName = undefined
    // What hangs is left behind: it can change nothing any more.
    await settleWithin([life.stop(0)], ANEW_STOP_MS)
    await systemClock.sleep(BEGIN_ANEW_MS)
  }
}

/** Opens what outlives an epoch. */
async function prepareGround(config: Config, log: Logger, lifecycle: Lifecycle): Promise<Ground> {
  await exportTraces(config, log, lifecycle)
  const health = createHealth({ isStopping: lifecycle.isStopping })
  const listener = await openHttpListener({ ...config.listen, health })
  lifecycle.add(listener.close)
  lifecycle.add(foundation.stop)
  const instanceName = await claimName(config, log, lifecycle)
  const databaseUrl = config.databaseUrl ?? (await openEmbedded(config.dataDir, log))
  const applied = await migrate(databaseUrl, { onWait: (sentence) => log.warn(sentence) })
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  let telegram: ReturnType<Ground['findTelegram']> | undefined
  // A playground ends after the epoch, which still shows the ends of its replies there.
  const findTelegram = () => (telegram ??= openTelegram(config, foundation))
  const operator = {
    tell: (text: string) => void process.stderr.write(text),
    isAtTerminal: logFormat === 'pretty',
    open: createPageOpening({
      env,
      platform: process.platform,
      isAtTerminal: process.stdout.isTTY === true,
      open: (address) => void openInBrowser(address),
    }),
  }
  return {
    config,
    settings,
    log,
    databaseUrl,
    health,
    listener,
    instanceName,
    findTelegram,
    operator,
  }
}

/** Exports traces, where a collector is named for them: what that takes is loaded for nothing else. */
async function exportTraces(config: Config, log: Logger, lifecycle: Lifecycle): Promise<void> {
  const { tracesEndpoint: endpoint, tracesServiceName: serviceName } = config
  if (endpoint === undefined) return
  const { exportSpans } = await import('./platform/tracing/export-spans.ts')
  const troubles = foldRepeats(log)
  const onError = (err: Error | undefined) => troubles.warn({ err }, 'traces lost, no collector')
  lifecycle.add(exportSpans({ endpoint, serviceName, onError }).stop)
}

/** @returns Undefined where another process has the folder, or no process can claim it. */
async function claimName(
  { dataDir, roles }: Config,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<string | undefined> {
  try {
    const claim = await claimDataDir(dataDir, roles)
    if (claim !== undefined) lifecycle.add(() => claim.release())
    return claim?.name
  } catch (error) {
    log.warn({ err: error }, 'data folder not claimed: a start after a crash waits for the lease')
    return undefined
  }
}

/** Its server is ended also where a stop comes while it starts. */
async function openEmbedded(dataDir: string, log: Logger): Promise<string> {
  if (foundation.isStopping()) throw new Error('Cannot start: the process is stopping')
  const stopping = new AbortController()
  const troubles = foldRepeats(log)
  const starting = startEmbeddedDatabase({
    dataDir,
    signal: stopping.signal,
    onTrouble: (error) => troubles.error({ err: error }, 'embedded database trouble'),
  })
  foundation.add(async (timeoutMs) => {
    stopping.abort()
    // One that did not start runs no more, and who started it is told why.
    const embedded = await starting.catch(() => undefined)
    await embedded?.stop(timeoutMs)
  })
  return (await starting).url
}

/** Telegram, or the playground that stands in for it until there is a token. */
async function openTelegram(config: Config, lifecycle: Lifecycle): Promise<Telegram> {
  const { botToken } = config.secrets
  const { apiRoot } = config.telegram
  if (botToken !== undefined) return { token: botToken, apiRoot, isPlayground: false }
  const { openPlayground } = await import('./playground/open-playground.ts')
  // One whose folder was removed forgets everything, and the bot's database does not: seconds never come again.
  const idsFrom = Math.floor((Date.now() - Date.UTC(2026, 0)) / 1000)
  const { dataDir, playgroundPort: port } = config
  const { host } = config.listen
  const troubles = foldRepeats(log)
  const onTrouble = (err: unknown) => troubles.error({ err }, 'playground trouble')
  const opened = await openPlayground({ host, port, dataDir, idsFrom, onTrouble })
  lifecycle.add(() => opened.playground.close())
  return { token: opened.playground.token, apiRoot: opened.apiRoot, isPlayground: true }
}

/** Opens an address in the browser. Without one the address is in the terminal all the same. */
async function openInBrowser(address: string): Promise<void> {
  try {
    const { default: open } = await import('open')
    await open(address)
  } catch (error) {
    log.debug({ err: error }, 'no browser opened')
  }
}

/** Reads the configuration; what is wrong with it goes to the operator without a stack trace. */
function configOrExit(): Config {
  try {
    return readConfig(env, process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.problems.map((problem) => `  ${problem}\n`).join('')
    process.stderr.write(`Kopeck cannot start with this configuration:\n${problems}`)
    process.exit(2)
  }
}

/** Says what an operator can mend in one sentence; the rest is told with its stack in the log. */
function reportFailure(error: Error, log: Logger, { listen }: Config): void {
  const { code } = error as NodeJS.ErrnoException
  const mendable = [
    DataDirInUseError,
    DataDirRefusedError,
    DatabaseRefusedError,
    MigrationError,
    PlaygroundRefusedError,
    SettingRefusedError,
  ]
  if (mendable.some((type) => error instanceof type)) process.stderr.write(`${error.message}\n`)
  else if (code === 'EADDRINUSE') {
    process.stderr.write(`Cannot start: PORT ${listen.port} on ${listen.host} is in use\n`)
  } else log.fatal({ err: error }, 'cannot go on')
}

/** How the service's config is read again, if a service runs here and has a file. */
function findReading({ roles, serviceFile }: Config) {
  if (!roles.has('service') || serviceFile === undefined) return undefined
  return () => readServiceFile(serviceFile, env)
}

/** Opens standard output for the log: for a person at a terminal, or for programs. */
async function openLog(format: 'json' | 'pretty'): Promise<DestinationStream> {
  const output = openLogOutput({ isWatched: format === 'pretty' })
  if (format === 'json') return output
  const { createPrettyOutput } = await import('./process/pretty-output.ts')
  return createPrettyOutput(output)
}

const env = readEnvironment()
const config = configOrExit()
const logFormat = config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')
const log = createLog(config.logLevel, await openLog(logFormat))
const settings = createServiceSettings({
  first: config.service,
  readAgain: findReading(config),
  log,
})
const onStopError = (error: unknown) => log.error({ err: error }, 'cannot stop in order')
const lifecycle = createLifecycle({ stopMs: STOP_MS_MAX, onError: onStopError })
/** What ends even where the process ends at once. */
const foundation = createLifecycle({ stopMs: END_NOW_MS, onError: onStopError })

async function stopAndExit(code: number): Promise<never> {
  await lifecycle.stop()
  process.exit(code)
}

async function endNow(): Promise<never> {
  log.warn('ending at once')
  await foundation.stop()
  process.exit(1)
}

const takeSignal = createStopSignals({
  stop: () => {
    log.info('stopping')
    void stopAndExit(0)
  },
  endNow: () => void endNow(),
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, takeSignal)
process.on('SIGHUP', createHangUp({ stop: takeSignal, reload: settings.reload }))

try {
  await run(config, log, lifecycle)
} catch (error) {
  // What a stop breaks off does not fail.
  if (!lifecycle.isStopping()) reportFailure(error as Error, log, config)
  await stopAndExit(1)
}
