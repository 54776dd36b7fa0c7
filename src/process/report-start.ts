import { findWorking } from '../platform/database/instance/instance-row.ts'
import type { Service } from '../service/service.ts'
import { type AddedBot, BOT_ACCOUNT } from './bot-role.ts'
import type { ProcessContext } from './context.ts'
import { describeStart, type Started } from './describe-start.ts'
import { nameProxies } from './process-proxies.ts'

/** Reports a start: to the person at the terminal, in their browser, and in the log. */
export async function reportStart(
  context: ProcessContext,
  { address, service, added }: { address: string; service?: Service; added?: AddedBot },
): Promise<void> {
  const { config, build, settings, ownModels, telegram, proxies, isAtTerminal, log } = context
  const used = nameProxies(proxies)
  const pageUrl = telegram?.pageUrl
  // A bot in the same process is a customer enough.
  const isAlone = !config.roles.has('bot')
  const isFresh =
    isAlone && service !== undefined && !(await service.hasOtherAccount(BOT_ACCOUNT.name))
  const started: Started = {
    ...config,
    version: build.version,
    address,
    proxies: used,
    doors: added?.doors,
    playground: pageUrl === undefined ? undefined : { pageUrl, host: config.listen.host },
    firstModel: isFresh ? settings.current().chat.models[0]?.id : undefined,
    ownModels,
    serviceTrouble: added?.serviceTrouble?.sentence,
  }
  process.stderr.write(describeStart(started, { isTerminal: isAtTerminal }))
  if (pageUrl !== undefined && !context.isReplacement && hasBrowser(describeMachine())) {
    void openInBrowser(pageUrl, context)
  }
  if (service !== undefined) await warnOfOwnDisks(context)
  const roles = [...config.roles]
  log.info({ ...build, address, roles, instance: context.instance.id, proxies: used }, 'ready')
  // The program that started this process may wait for this line.
  log.flush()
}

async function warnOfOwnDisks(context: ProcessContext): Promise<void> {
  const { config, settings, database, instance, log } = context
  if (config.publicUrl !== undefined || settings.current().storage !== undefined) return
  const { pool } = database
  const living = await Promise.all([findWorking(pool, 'service'), findWorking(pool, 'bot')])
  if (living.flat().every((id) => id === instance.id)) return
  log.warn(
    'PUBLIC_URL is not set, and other processes are on the database: a result that one of them keeps on its disk is refused by the others; set PUBLIC_URL, and share DATA_DIR/media or set a bucket (docs/scale.md)',
  )
}

/** The signs that a person sits in front of this machine. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  isAtTerminal: boolean
}

function describeMachine(): Surroundings {
  const { env, platform, stdout } = process
  return { env, platform, isAtTerminal: stdout.isTTY === true }
}

/** Decides whether the person who started the process has a browser for a page. `BROWSER=none` prevents it. */
export function hasBrowser({ env, platform, isAtTerminal }: Surroundings): boolean {
  const isSet = (name: string) => (env[name] ?? '') !== ''
  const hasDesktop = platform !== 'linux' || isSet('DISPLAY') || isSet('WAYLAND_DISPLAY')
  const isElsewhere = isSet('SSH_CONNECTION') || isSet('CI')
  return isAtTerminal && hasDesktop && !isElsewhere && env.BROWSER !== 'none'
}

/** Opens an address in the browser. Without a browser, the address is in the terminal. */
async function openInBrowser(address: string, { log }: Pick<ProcessContext, 'log'>): Promise<void> {
  try {
    const { default: open } = await import('open')
    await open(address)
  } catch (error) {
    log.debug({ err: error }, 'no browser opened')
  }
}
