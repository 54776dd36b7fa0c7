/** Reports a start: to the person at the terminal, in their browser, and in the log. */
import { relative } from 'node:path'
import type { StartedBot } from '../bot/bot.ts'
import type { Doors } from '../bot/people/first-admin.ts'
import { writeCommand } from '../platform/installation.ts'
import { describeExposure } from '../playground/web/who-gets-in.ts'
import type { Service } from '../service/service.ts'
import { type AddedBot, BOT_ACCOUNT } from './bot-role.ts'
import type { Config } from './config.ts'
import type { ProcessContext } from './context.ts'
import type { OwnModels } from './own-models.ts'
import { type NamedProxies, nameProxies } from './process-proxies.ts'

const NAME_CHARS = 16
const DATA_DIR_DEFAULT = 'data'

export async function reportStart(
  context: ProcessContext,
  { address, service, added }: { address: string; service?: Service; added?: AddedBot },
): Promise<void> {
  const { config, build, settings, ownModels, telegram, isAtTerminal, log } = context
  const proxies = nameProxies(context.proxies)
  const pageUrl = telegram?.pageUrl
  // A bot in the same process is a customer enough.
  const isFresh =
    !config.roles.has('bot') && (await service?.hasOtherAccount(BOT_ACCOUNT.name)) === false
  const started: Started = {
    ...config,
    version: build.version,
    address,
    proxies,
    doors: added?.doors,
    playground: pageUrl === undefined ? undefined : { pageUrl, host: config.listen.host },
    firstModel: isFresh ? settings.current().chat.models[0]?.id : undefined,
    ownModels,
    serviceTrouble: added?.serviceTrouble,
  }
  process.stderr.write(describeStart(started, { isTerminal: isAtTerminal }))
  const { env, platform, stdout } = process
  const canOpen = hasBrowser({ env, platform, isAtTerminal: stdout.isTTY === true })
  if (pageUrl !== undefined && !context.isReplacement && canOpen) {
    // Without a browser, the address is in the terminal.
    void openPage(pageUrl).catch((err) => log.debug({ err }, 'no browser opened'))
  }
  if (service !== undefined) warnOfOwnDisks(context)
  log.info(
    { ...build, address, roles: [...config.roles], instance: context.instance.id, proxies },
    'ready',
  )
  // The program that started this process may wait for this line.
  log.flush()
}

function warnOfOwnDisks({ config, settings, instance, log }: ProcessContext): void {
  if (config.publicUrl !== undefined || settings.current().storage !== undefined) return
  if (instance.others().length === 0) return
  log.warn(
    'PUBLIC_URL is not set, and other processes are on the database: a result that one of them keeps on its disk is refused by the others; set PUBLIC_URL, and share DATA_DIR/media or set a bucket (docs/scale.md)',
  )
}

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  isAtTerminal: boolean
}

/** Decides whether the person who started the process has a browser for a page. `BROWSER=none` prevents it. */
export function hasBrowser({ env, platform, isAtTerminal }: Surroundings): boolean {
  const hasDesktop = platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
  const isElsewhere = Boolean(env.SSH_CONNECTION || env.CI)
  return isAtTerminal && hasDesktop && !isElsewhere && env.BROWSER !== 'none'
}

async function openPage(address: string): Promise<void> {
  const { default: open } = await import('open')
  await open(address)
}

export interface Started extends Pick<Config, 'roles' | 'rootDir' | 'dataDir'> {
  version: string
  address: string
  publicUrl?: string | undefined
  remoteServiceUrl?: string | undefined
  serviceFile?: string | undefined
  databaseUrl?: string | undefined
  proxies?: NamedProxies | undefined
  doors?: StartedBot | undefined
  playground?: { pageUrl: string; host: string } | undefined
  firstModel?: string | undefined
  ownModels?: Pick<OwnModels, 'settings' | 'offer'> | undefined
  serviceTrouble?: string | undefined
}

/**
 * Writes all that a start shows beside the log: on a terminal the addresses, and on every start what is left to do.
 *
 * It may hold the code that makes the first admin, or the key of the playground's page, so it must reach no log.
 */
export function describeStart(started: Started, { isTerminal }: { isTerminal: boolean }): string {
  const { version, roles, doors, playground, ownModels, serviceTrouble } = started
  const running = [...roles].map((role) => `the ${role}`).join(' and ')
  // Usually a playground is open, and has an admin.
  const areDoorsNews =
    playground === undefined || doors?.openTo !== 'everybody' || doors.adminCode !== undefined
  const parts = [
    isTerminal && `Kopeck ${version} runs: ${running}. Ctrl-C stops it.`,
    isTerminal && writeLines(playground ? listProxies(started) : listAddresses(started)),
    doors && areDoorsNews && describeDoors(doors, { isReal: playground === undefined }),
    ownModels && describeOwnModels(ownModels),
    serviceTrouble &&
      `The bot cannot answer yet. ${serviceTrouble}.\nUsers read that; it is tried again every half a minute.`,
    playground ? describePlayground(playground, started) : describeFirstAccount(started),
  ]
  return parts.map((part) => (part ? `\n${part}\n` : '')).join('')
}

type Lines = Readonly<Record<string, string | false | undefined>>

function listAddresses(started: Started): Lines {
  const { roles, address, doors, publicUrl, remoteServiceUrl, serviceFile, dataDir } = started
  const [hasService, hasBot] = [roles.has('service'), roles.has('bot')]
  const builtIn = started.ownModels
    ? 'of your key, see below'
    : 'built in, for a try: OPENAI_API_KEY brings real ones (README)'
  return {
    API: hasService && `${address}/api/v1`,
    'API docs': hasService && `${address}/api/v1/docs`,
    Models: hasService && (serviceFile ?? builtIn),
    'Remote service': remoteServiceUrl,
    Bot:
      hasBot &&
      (doors?.username ? `https://t.me/${doors.username}` : 'stands by: another process is active'),
    'Admin page': hasBot && `${address}/admin, by the link that /dashboard gives`,
    ...listProxies(started),
    Health: `${address}/healthz`,
    Metrics: `${address}/metrics, for Prometheus`,
    'From outside': publicUrl,
    Database: describeDatabase(started),
    'Data folder': dataDir,
  }
}

function listProxies({ proxies }: Started): Lines {
  return { 'Telegram proxy': proxies?.telegram, 'Upstream proxy': proxies?.upstream }
}

function writeLines(lines: Lines): string {
  return Object.entries(lines)
    .filter(([, value]) => value)
    .map(([name, value]) => `  ${name.padEnd(NAME_CHARS)}${value}`)
    .join('\n')
}

/** Shows only the host and the name of the database's address. */
function describeDatabase({ databaseUrl, dataDir }: Started): string {
  if (databaseUrl === undefined) return `embedded PostgreSQL, in ${dataDir}`
  const { host, pathname } = new URL(databaseUrl)
  return `PostgreSQL at ${host}${pathname}`
}

const OPEN_TO: Readonly<Record<Doors['openTo'], string>> = {
  everybody: 'Everybody may talk to the bot.',
  listed:
    'Admins and the users in ALLOWED_USER_IDS may talk to the bot; others may ask, and admins decide.',
  admins:
    'Admins alone may talk to the bot; others may ask, and admins decide. ALLOWED_USER_IDS=* opens it to everybody.',
}

function describeDoors(
  { username, openTo, adminCode }: StartedBot,
  { isReal }: { isReal: boolean },
): string {
  if (adminCode === undefined) return OPEN_TO[openTo]
  const link = isReal && username ? `\n    https://t.me/${username}?start=${adminCode}` : ''
  return `${OPEN_TO[openTo]}

It has no admin yet. The first user who sends it this in a private chat becomes the admin:

    /start ${adminCode}${link}

The code is good once. Only its hash is kept; the log does not have it.`
}

function describeOwnModels({ settings, offer }: Pick<OwnModels, 'settings' | 'offer'>): string {
  const { models = [], trouble } = offer ?? {}
  const host = new URL(settings.baseUrl).host
  const count = `Models of ${host}: ${models.length}. ${writeCommand('models')} lists them with their prices.`
  if (trouble === undefined) return count
  const again = `The models are not set up right. ${trouble.sentence}.
Users read that the bot, or its model, is not set up right; it is tried again every half a minute.`
  return models.length === 0 ? again : `${again}\n\n${count}`
}

function describeFirstAccount({ firstModel, address, rootDir }: Started): string | undefined {
  if (firstModel === undefined) return undefined
  // A command beside the process reads .env, and not the variables of another shell.
  const isDefault = relative('.', rootDir) === DATA_DIR_DEFAULT
  const folder = isDefault ? '' : `DATA_DIR='${rootDir.replaceAll("'", "'\\''")}' `
  return `The service has no customer yet. To make the first account, in another terminal:

    ${folder}${writeCommand('account', 'create --name shop --credit 500')}

  It prints the API key of the account, this once. A first request with it:

    curl ${address}/api/v1/chats/completions -H 'Authorization: Bearer API_KEY' \\
      -H 'Content-Type: application/json' \\
      -d '{"model": "${firstModel}", "messages": [{"role": "user", "content": "Hello"}]}'

  docs/operating.md goes on from there.`
}

function describePlayground(
  { pageUrl, host }: { pageUrl: string; host: string },
  { ownModels, remoteServiceUrl }: Started,
): string {
  const [wanted, key] =
    ownModels || remoteServiceUrl !== undefined
      ? ['in Telegram', '']
      : ['in Telegram and with models of your own', 'OPENAI_API_KEY=… ']
  const exposure = describeExposure(host)
  return `Talk to the bot here:

    ${pageUrl}

It is the whole program, on a playground in Telegram's place, because BOT_TOKEN is not set.
To see a conversation played: ${writeCommand('demo')}
To go on ${wanted}: ${writeCommand('setup')}, or ${key}BOT_TOKEN=… ${writeCommand('start')}${exposure === undefined ? '' : `\n\n${exposure}`}`
}
