import type { Logger } from 'pino'
import { botIdOf, type OwnBot, refuseOtherBot } from '../bot/claim-database.ts'
import type { BuildInfo } from '../platform/build-info.ts'
import { claimDataDir, DataDirRefusedError } from '../platform/database/data-dir.ts'
import { startEmbeddedDatabase } from '../platform/database/embedded/embedded.ts'
import { migrate } from '../platform/database/migrate.ts'
import { createPrimaryWatch } from '../platform/database/primary-watch.ts'
import { DatabaseRefusedError } from '../platform/database/server/database-refused.ts'
import { foldRepeats } from '../platform/fold-repeats.ts'
import { systemClock } from '../platform/time/clock.ts'
import type { Lifecycle } from '../platform/time/lifecycle.ts'
import { retry } from '../platform/time/retry.ts'
import { Unsettled } from '../service/chat/unsettled.ts'
import { isDemo } from '../service/config/chat-config.ts'
import type { Config } from './config/config.ts'
import type { Ground, Telegram } from './epoch/ground.ts'
import { createHealth } from './health.ts'
import { openHttpListener } from './http-listener.ts'
import { createPageOpening } from './open-page.ts'
import type { OwnModels } from './own-models.ts'
import { createProcessMetrics } from './process-metrics.ts'
import type { ProcessProxies } from './process-proxies.ts'
import type { ServiceSettings } from './service-settings.ts'

/** A database that starts together with this process is waited for; longer than that, somebody has to look. */
const DATABASE_MS_MAX = 10_000
const DATABASE_PAUSE_MS = 500

export interface GroundDeps {
  config: Config
  build: BuildInfo
  env: NodeJS.ProcessEnv
  settings: ServiceSettings
  ownModels: OwnModels | undefined
  proxies: ProcessProxies
  log: Logger
  lifecycle: Lifecycle
  /** Its parts end even where the process ends at once. */
  foundation: Lifecycle
  isAtTerminal: boolean
}

/** Opens the parts that outlive an epoch: the listener, the database, and Telegram when it is first asked for. */
export async function prepareGround({
  config,
  build,
  env,
  settings,
  ownModels,
  proxies,
  log,
  lifecycle,
  foundation,
  isAtTerminal,
}: GroundDeps): Promise<Ground> {
  const metrics = createProcessMetrics(build)
  const { version } = build
  const health = createHealth({ isStopping: lifecycle.isStopping, version, proxies })
  const { host, port } = config.listen
  const listener = await openHttpListener({ host, port, health })
  lifecycle.add(listener.close)
  lifecycle.add(foundation.stop)
  const instanceName = await claimName({ config, settings, log, lifecycle })
  const databaseUrl =
    config.databaseUrl ?? (await openEmbedded({ dataDir: config.dataDir, log, foundation }))
  const ownBot = config.roles.has('bot') ? await findOwnBot(config) : undefined
  const applied = await whenThere(
    () =>
      migrate(databaseUrl, {
        judge: async (client) => ownBot && refuseOtherBot(client, ownBot),
      }),
    log,
  )
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  let telegram: ReturnType<Ground['findTelegram']> | undefined
  return {
    config,
    build,
    settings,
    ownModels,
    log,
    databaseUrl,
    primary: createPrimaryWatch(),
    ownBot,
    health,
    metrics,
    listener,
    instanceName,
    unsettled: new Unsettled(),
    modelList: { models: [] },
    proxies,
    // A playground ends after the epoch, which shows the ends of its replies there.
    findTelegram: () => (telegram ??= openTelegram({ config, settings, log, foundation })),
    operator: {
      write: (text) => void process.stderr.write(text),
      isAtTerminal,
      open: createPageOpening({
        env,
        platform: process.platform,
        isAtTerminal: process.stdout.isTTY === true,
        open: (address) => void openInBrowser(address, log),
      }),
    },
  }
}

async function whenThere<T>(work: () => Promise<T>, log: Logger): Promise<T> {
  const untilMs = systemClock.now() + DATABASE_MS_MAX
  const delayAfter = (error: unknown, attempts: number) => {
    const isWaited = error instanceof DatabaseRefusedError && error.mayPass
    if (!isWaited || systemClock.now() >= untilMs) return undefined
    if (attempts === 1)
      log.warn(`${error.message}; it is tried again for ${DATABASE_MS_MAX / 1000} s`)
    return DATABASE_PAUSE_MS
  }
  return await retry(work, { clock: systemClock, delayAfter })
}

/**
 * @returns Undefined where another process has the folder, or no process can claim it.
 * @throws {DataDirRefusedError} If nothing can be written in a folder that something is to be kept in.
 */
async function claimName({
  config,
  settings,
  log,
  lifecycle,
}: Pick<GroundDeps, 'config' | 'settings' | 'log' | 'lifecycle'>): Promise<string | undefined> {
  try {
    const claim = await claimDataDir(config.dataDir, config.roles)
    if (claim !== undefined) lifecycle.add(() => claim.release())
    return claim?.name
  } catch (error) {
    if (error instanceof DataDirRefusedError && isKeptInFolder(config, settings)) throw error
    log.warn({ err: error }, 'data folder not claimed: a start after a crash waits for the lease')
    return undefined
  }
}

function isKeptInFolder(
  { databaseUrl, roles, secrets }: Config,
  settings: Pick<ServiceSettings, 'current'>,
): boolean {
  const hasPlayground = roles.has('bot') && secrets.botToken === undefined
  const { generation } = settings.current()
  const makes = roles.has('service') && Object.keys(generation).length > 0
  return databaseUrl === undefined || hasPlayground || makes
}

async function openEmbedded({
  dataDir,
  log,
  foundation,
}: Pick<GroundDeps, 'log' | 'foundation'> & { dataDir: string }): Promise<string> {
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
    // One that did not start does not run, and its caller has the error.
    const embedded = await starting.catch(() => undefined)
    await embedded?.stop(timeoutMs)
  })
  return (await starting).url
}

async function findOwnBot({ secrets: { botToken } }: Config): Promise<OwnBot> {
  if (botToken !== undefined) return { id: botIdOf(botToken), isPlayground: false }
  const { BOT_ID } = await import('../playground/world/bot.ts')
  return { id: BOT_ID, isPlayground: true }
}

async function openTelegram({
  config,
  settings,
  log,
  foundation,
}: Pick<GroundDeps, 'config' | 'settings' | 'log' | 'foundation'>): Promise<Telegram> {
  const { botToken } = config.secrets
  const { apiRoot } = config.telegram
  if (botToken !== undefined)
    return { token: botToken, apiRoot, isPlayground: false, pageUrl: undefined }
  const { openPlayground } = await import('../playground/open-playground.ts')
  // A playground whose folder was removed forgets everything, but the bot's database does not: seconds never come again.
  const idsFrom = Math.floor((Date.now() - Date.UTC(2026, 0)) / 1000)
  const { dataDir: folder, playgroundPort: port } = config
  const { host } = config.listen
  const troubles = foldRepeats(log)
  const onTrouble = (err: unknown) => troubles.error({ err }, 'playground trouble')
  const opened = await openPlayground({
    host,
    port,
    folder,
    idsFrom,
    isDemo: () => config.remoteServiceUrl === undefined && isDemo(settings.current().chat),
    log: (line) => log.warn(line),
    onTrouble,
  })
  foundation.add(() => opened.playground.close())
  return {
    token: opened.playground.token,
    apiRoot: opened.apiRoot,
    isPlayground: true,
    pageUrl: opened.pageUrl,
  }
}

/** Opens an address in the browser. Where there is no browser, the address is in the terminal all the same. */
async function openInBrowser(address: string, log: Logger): Promise<void> {
  try {
    const { default: open } = await import('open')
    await open(address)
  } catch (error) {
    log.debug({ err: error }, 'no browser opened')
  }
}
