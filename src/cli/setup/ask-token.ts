import { apiSignal, createTelegramApi } from '../../bot/telegram/api.ts'
import { readFailure } from '../../bot/telegram/failures.ts'
import type { Config } from '../../process/config/config.ts'
import { openProxies } from '../../process/process-proxies.ts'
import { askFor, confirm, readOrSay, type SetupStep } from './ask-for.ts'

type Trial =
  | { works: true; username: string }
  /** `isRefused`: Telegram does not know the token, and will not. */
  | { works: false; isRefused: boolean; sentence: string }

/** Asks for the bot's token, and tries it by `getMe`. */
export const askToken: SetupStep = async ({ conversation, env, signal }) => {
  const { say } = conversation
  say('1. The bot in Telegram. @BotFather makes one by /newbot, and shows its token.\n')
  for (let kept = env.BOT_TOKEN; ; ) {
    const without = 'none, the playground stands in for Telegram'
    const token = await askFor(conversation, { name: 'Token', kept, without, isSecret: true })
    if (token === undefined) return new Map([['BOT_TOKEN', undefined]])
    const { TELEGRAM_API_ROOT, TELEGRAM_PROXY } = env
    const config = readOrSay(conversation, { BOT_TOKEN: token, TELEGRAM_API_ROOT, TELEGRAM_PROXY })
    if (config === undefined) continue
    const trial = await tryToken(token, config, signal)
    if (trial.works) {
      say(`It is the token of @${trial.username}, and works.`)
      return new Map([['BOT_TOKEN', token]])
    }
    say(trial.sentence)
    if (trial.isRefused) continue
    if (await confirm(conversation, 'Keep it untried?', { otherwise: false })) {
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
          sentence: `${host} does not know this token (${failure.status} ${failure.reason}). @BotFather shows it by /mybots.`,
        }
      case 'flooded':
        return {
          works: false,
          isRefused: false,
          sentence: `${host} wants to be asked again in ${failure.retryAfterMs / 1000} s.`,
        }
      default:
        return {
          works: false,
          isRefused: false,
          sentence: `${host} does not answer (${failure.reason}). Where it is blocked, TELEGRAM_PROXY=socks5://host:port leads there.`,
        }
    }
  }
}
