import { once } from 'node:events'
import type { Command } from 'commander'
import { findDataDir } from '../platform/database/data-dir.ts'
import { openPlayground } from '../playground/open-playground.ts'
import { describeExposure } from '../playground/web/who-gets-in.ts'
import { BOT_ID } from '../playground/world/bot.ts'
import { readConfig } from '../process/config/config.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'
import { writeToOperator } from './command-line/with-pool.ts'

/** Its playground is another one than that of `npm start`. */
const OWN_BOT_ID = BOT_ID + 1

interface Options {
  host?: string
  port?: string
  dataDir?: string
}

/** `kopeck playground`: the playground alone, for a bot in another process. */
export function createPlaygroundProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Runs the stand-in for Telegram and its chat page without the bot. The token is BOT_TOKEN, or one that is made and kept.',
  })
    .option('--host <address>', 'where it listens, instead of HOST')
    .option('--port <number>', 'where it listens, instead of PLAYGROUND_PORT')
    .option('--data-dir <folder>', 'what it keeps is below, instead of DATA_DIR')
    .action(async (options: Options) => {
      const given = { HOST: options.host, PLAYGROUND_PORT: options.port, DATA_DIR: options.dataDir }
      const named = Object.entries(given).filter(([, value]) => value !== undefined)
      const config = readConfig({ ...env, ...Object.fromEntries(named) })
      const { host } = config.listen
      const { botToken } = config.secrets
      const { playground, apiRoot, pageUrl } = await openPlayground({
        host,
        port: config.playgroundPort,
        // The same folder with a BOT_TOKEN of the bot and without it.
        folder: findDataDir({ DATA_DIR: config.rootDir }),
        token: botToken,
        freeBotId: OWN_BOT_ID,
        log: writeToOperator,
        onTrouble: (error) =>
          writeToOperator(error instanceof Error ? `${error.stack}` : String(error)),
      })
      // Anyone who reads that it runs may stop it at once.
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
    })
}
