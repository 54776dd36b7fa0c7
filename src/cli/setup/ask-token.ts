import { apiSignal, createTelegramApi } from '../../bot/telegram/api.ts'
import { readFailure } from '../../bot/telegram/failures.ts'
import type { Config } from '../../process/config/config.ts'
import { openProxies } from '../../process/process-proxies.ts'
import { askFor, readOrSay, type SetupStep } from './conversation.ts'

type Trial =
  | { works: true; username: string }
  /** `isRefused`: Telegram rejected the token, so another try is useless. */
  | { works: false; isRefused: boolean; sentence: string }

/** Asks for the bot's token and tries it with `getMe`. */
export const askToken: SetupStep = async ({ conversation, env }) => {
  const { say, confirm, wait, signal } = conversation
  say('1. The Telegram bot: send /newbot to @BotFather, which creates a bot and shows its token')
  for (let kept = env.BOT_TOKEN; ; ) {
    const without = 'none, the playground replaces Telegram'
    const token = await askFor(conversation, { name: 'Token', kept, without, isSecret: true })
    if (token === undefined) return new Map([['BOT_TOKEN', undefined]])
    const { TELEGRAM_API_ROOT, TELEGRAM_PROXY } = env
    const config = readOrSay(conversation, { BOT_TOKEN: token, TELEGRAM_API_ROOT, TELEGRAM_PROXY })
    if (config === undefined) continue
    const trial = await wait('Trying the token', () => tryToken(token, config, signal))
    if (trial.works) {
      say(`The token of @${trial.username} works.`)
      return new Map([['BOT_TOKEN', token]])
    }
    say(trial.sentence)
    if (trial.isRefused) continue
    if (await confirm('Keep it untried?', { initial: false })) {
      return new Map([['BOT_TOKEN', token]])
    }
    kept = token
  }
}

async function tryToken(
  token: string,
  config: Pick<Config, 'roles' | 'telegram' | 'secrets'>,
  signal: AbortSignal,
): Promise<Trial> {
  const { apiRoot } = config.telegram
  const host = apiRoot === undefined ? 'Telegram' : new URL(apiRoot).host
  const { calls } = createTelegramApi({
    token,
    apiRoot,
    proxies: openProxies(config).telegram,
  })
  try {
    const { username } = await calls.getMe(apiSignal(signal))
    return { works: true, username }
  } catch (error) {
    signal.throwIfAborted()
    const failure = readFailure(error)
    switch (failure.type) {
      case 'refused':
        return {
          works: false,
          isRefused: true,
          sentence: `${host} rejected this token (${failure.status} ${failure.reason}). Send /mybots to @BotFather to see the right one.`,
        }
      case 'flooded':
        return {
          works: false,
          isRefused: false,
          sentence: `${host} limits requests: try again in ${failure.retryAfterMs / 1000} s.`,
        }
      default:
        return {
          works: false,
          isRefused: false,
          sentence: `${host} does not answer (${failure.reason}). If it is blocked here, set TELEGRAM_PROXY=socks5://host:port.`,
        }
    }
  }
}
