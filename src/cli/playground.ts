import { once } from 'node:events'
import type { Command } from 'commander'
import { findDataDir } from '../platform/database/data-dir.ts'
import { openPlayground } from '../playground/open-playground.ts'
import { describeExposure } from '../playground/web/who-gets-in.ts'
import { BOT_ID } from '../playground/world/bot.ts'
import { readConfig } from '../process/config.ts'
import { type CommandContext, createProgram, writeToOperator } from './program.ts'

/** `kopeck playground`: the playground alone, for a bot in another process. */
export function createPlaygroundProgram({ env, print, ...help }: CommandContext): Command {
  return createProgram(help).action(run)

  async function run(): Promise<void> {
    const config = readConfig(env)
    const { host } = config.listen
    const { botToken } = config.secrets
    const { playground, apiRoot, pageUrl } = await openPlayground({
      host,
      port: config.playgroundPort,
      // The same folder with a BOT_TOKEN of the bot and without it.
      folder: findDataDir({ DATA_DIR: config.rootDir }),
      token: botToken,
      // The playground of `npm start` has BOT_ID.
      freeBotId: BOT_ID + 1,
      log: writeToOperator,
      onTrouble: (error) =>
        writeToOperator(error instanceof Error ? `${error.stack}` : String(error)),
    })
    // The reader of the next line may stop the playground at once.
    const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    const token = botToken === undefined ? playground.token : 'the BOT_TOKEN that is set'
    print(`The playground runs. Ctrl-C stops it; the next start continues from there.

  Page               ${pageUrl}
  TELEGRAM_API_ROOT  ${apiRoot}
  BOT_TOKEN          ${token}
`)
    const exposure = describeExposure(host)
    if (exposure !== undefined) print(`\n${exposure}`)
    await stopped
    await playground.close()
  }
}
