import { once } from 'node:events'
import type { Command } from 'commander'
import { findDataDir } from '../platform/database/data-dir.ts'
import { describeExposure, isLoopback } from '../playground/describe-exposure.ts'
import { openPlayground } from '../playground/open-playground.ts'
import { BOT_ID } from '../playground/world/bot.ts'
import { readConfig } from '../process/config/config.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'
import { writeToOperator } from './command-line/with-pool.ts'

const OWN_BOT_ID = BOT_ID + 1

interface Options {
  host?: string
  port?: string
  dataDir?: string
  name: string
  username: string
  privacy: boolean
}

/** `kopeck playground`: the playground alone, for any bot. */
export function createPlaygroundProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Runs a Bot API server, and a page to talk to a bot of your own on it. BOT_TOKEN sets the token of that bot; without it one is made, and kept.',
  })
    .option('--host <address>', 'where it listens, instead of HOST')
    .option('--port <number>', 'where it listens, instead of PLAYGROUND_PORT')
    .option('--data-dir <folder>', 'what it keeps is below, instead of DATA_DIR')
    .option('--name <name>', 'name of the bot', 'My bot')
    .option('--username <username>', 'username of the bot', 'my_playground_bot')
    .option('--no-privacy', 'let the bot hear everything in groups')
    .action(async (options: Options) => {
      const given = { HOST: options.host, PLAYGROUND_PORT: options.port, DATA_DIR: options.dataDir }
      const named = Object.entries(given).filter(([, value]) => value !== undefined)
      const config = readConfig({ ...env, ...Object.fromEntries(named) })
      const { host } = config.listen
      const { playground, apiRoot, pageUrl } = await openPlayground({
        host,
        port: config.playgroundPort,
        // The same folder with a BOT_TOKEN of the bot and without it.
        folder: findDataDir({ DATA_DIR: config.rootDir }),
        token: config.secrets.botToken,
        freeBotId: OWN_BOT_ID,
        botName: options.name,
        botUsername: options.username,
        readsAllGroupMessages: !options.privacy,
        log: writeToOperator,
        onTrouble: (error) =>
          writeToOperator(error instanceof Error ? `${error.stack}` : String(error)),
      })
      // Who reads that it runs may stop it at once.
      const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
      const isOwn = config.secrets.botToken !== undefined
      const token = isOwn ? 'the BOT_TOKEN that is set' : playground.token
      print(describe({ apiRoot, pageUrl, token, miniApps: describeSigning({ isOwn, host }) }))
      const exposure = describeExposure(host)
      if (exposure !== undefined) print(`\n${exposure}`)
      await stopped
      await playground.close()
    })
}

function describeSigning({ isOwn, host }: { isOwn: boolean; host: string }): string {
  if (!isOwn) return 'signed with the token'
  return isLoopback(host)
    ? 'signed with BOT_TOKEN: a bot in Telegram with it lets in who opens its page from here, as anybody'
    : 'not signed: HOST is not this machine alone, and BOT_TOKEN opens the pages of its bot in Telegram'
}

function describe({
  apiRoot,
  pageUrl,
  token,
  miniApps,
}: {
  apiRoot: string
  pageUrl: string
  token: string
  miniApps: string
}): string {
  return `The playground runs. Ctrl-C stops it, and the next start goes on from there.

  Page       ${pageUrl}
  API root   ${apiRoot}
  Token      ${token}
  Mini Apps  ${miniApps}

A bot talks to it by its API root:

  grammY                 new Bot(token, { client: { apiRoot: '${apiRoot}' } })
  Telegraf               new Telegraf(token, { telegram: { apiRoot: '${apiRoot}' } })
  python-telegram-bot    ApplicationBuilder().token(token).base_url('${apiRoot}/bot').base_file_url('${apiRoot}/file/bot')
  with curl              curl ${apiRoot}/bot$TOKEN/getMe

docs/playground.md has more of them, and what the server checks.`
}
