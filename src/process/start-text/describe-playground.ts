import { describeExposure } from '../../playground/describe-exposure.ts'

/**
 * Says where one talks to a bot that has no Telegram.
 *
 * @param root Of the Bot API server that stands in for it, and of its page.
 * @param host Where it listens.
 */
export function describePlayground({ root, host }: { root: string; host: string }): string {
  const exposure = describeExposure(host)
  const told = `Talk to the bot here:

    ${root}

It is the whole program, on a playground in Telegram's place, because BOT_TOKEN is not set.
To talk to it in Telegram:    BOT_TOKEN=123456:token-from-BotFather npm start
To see a conversation played: npm run demo`
  return exposure === undefined ? told : `${told}\n\n${exposure}`
}
