/** Reports a start: to the person at the terminal, and in the log. */
import type { StartedBot } from '../bot/bot.ts'
import type { Doors } from '../bot/people/first-admin.ts'
import { writeCommand } from '../platform/installation.ts'
import { describeExposure } from '../playground/web/who-gets-in.ts'
import type { StartedRole } from './bot-role.ts'
import type { Config } from './config.ts'
import type { ProcessContext } from './context.ts'
import { nameProxies } from './process-proxies.ts'

const NAME_CHARS = 16

export function reportStart(
  context: ProcessContext,
  { address, bot }: { address: string; bot: StartedRole | undefined },
): void {
  const { config, build, ownModels, telegram, isAtTerminal, log } = context
  const proxies = nameProxies(context.proxies)
  const pageUrl = telegram?.pageUrl
  const started: Started = {
    ...config,
    version: build.version,
    address,
    doors: bot?.doors,
    playground: pageUrl === undefined ? undefined : { pageUrl, host: config.listen.host },
    troubles: [ownModels?.offer?.trouble?.sentence, bot?.serviceTrouble],
  }
  process.stderr.write(describeStart(started, { isTerminal: isAtTerminal }))
  log.info(
    { ...build, address, roles: [...config.roles], instance: context.instance.id, proxies },
    'ready',
  )
  // The program that started this process may wait for this line.
  log.flush()
}

export interface Started extends Pick<Config, 'roles' | 'dataDir'> {
  version: string
  address: string
  publicUrl?: string | undefined
  remoteServiceUrl?: string | undefined
  databaseUrl?: string | undefined
  doors?: StartedBot | undefined
  playground?: { pageUrl: string; host: string } | undefined
  troubles?: readonly (string | undefined)[]
}

/** Writes what a start shows beside the log. It may hold the code of the first admin, so it must reach no log. */
export function describeStart(started: Started, { isTerminal }: { isTerminal: boolean }): string {
  const { version, roles, doors, playground, troubles = [] } = started
  const running = [...roles].map((role) => `the ${role}`).join(' and ')
  const parts = [
    isTerminal && `Kopeck ${version} runs: ${running}. Ctrl-C stops it.\n\n${listParts(started)}`,
    ...troubles.map(
      (trouble) => trouble && `No answers yet: ${trouble}. It is tried again every 30 seconds.`,
    ),
    doors && (!playground || doors.adminCode) && describeDoors(doors),
    playground && describePlayground(playground),
  ]
  return parts.map((part) => (part ? `\n${part}\n` : '')).join('')
}

function listParts(started: Started): string {
  const { roles, address, doors, remoteServiceUrl, databaseUrl, dataDir } = started
  const [hasService, hasBot] = [roles.has('service'), roles.has('bot')]
  const link = doors?.username && `https://t.me/${doors.username}`
  const lines = {
    API: hasService && `${address}/api/v1`,
    'API docs': hasService && `${address}/api/v1/openapi.json`,
    'Remote service': remoteServiceUrl,
    Bot: hasBot && (link || 'stands by: another process is active'),
    'Admin page': hasBot && `${address}/admin, by the link that /dashboard gives`,
    Health: `${address}/healthz`,
    Metrics: `${address}/metrics`,
    'From outside': started.publicUrl,
    // The rest of the address holds a password.
    Database: databaseUrl ? `PostgreSQL at ${new URL(databaseUrl).host}` : 'embedded PostgreSQL',
    'Data folder': dataDir,
  }
  return Object.entries(lines)
    .flatMap(([name, value]) => (value ? `  ${name.padEnd(NAME_CHARS)}${value}` : []))
    .join('\n')
}

const OPEN_TO: Readonly<Record<Doors['openTo'], string>> = {
  everybody: 'Everybody may talk to the bot.',
  listed: 'Admins and the users in ALLOWED_USER_IDS may talk to the bot; others may ask.',
  admins: 'Admins alone may talk to the bot; others may ask. ALLOWED_USER_IDS=* opens it.',
}

function describeDoors({ openTo, adminCode }: StartedBot): string {
  if (adminCode === undefined) return OPEN_TO[openTo]
  return `${OPEN_TO[openTo]}

It has no admin yet. The first user who sends it this in a private chat becomes the admin:

    /start ${adminCode}`
}

function describePlayground({ pageUrl, host }: { pageUrl: string; host: string }): string {
  const exposure = describeExposure(host)
  return `Talk to the bot here:

    ${pageUrl}

It runs on a playground in Telegram's place, because BOT_TOKEN is not set: ${writeCommand('setup')} sets it.
To see a conversation played: ${writeCommand('demo')}${exposure === undefined ? '' : `\n\n${exposure}`}`
}
