import type { Command } from 'commander'
import { botIdOf, takeOverDatabase } from '../bot/claim-database.ts'
import { readConfig } from '../process/config/config.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'
import { withPool } from './command-line/with-pool.ts'

/** `kopeck take-over`: the database of another bot, or of the playground, for the bot of BOT_TOKEN. */
export function createTakeOverProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Gives the database to the bot of BOT_TOKEN, which replaces the one that it belongs to. What users wrote and what it cost stays. The bot before has to be stopped.',
  }).action(async () => {
    const { botToken } = readConfig(env).secrets
    if (botToken === undefined) {
      throw new Error(
        'Cannot take over: BOT_TOKEN, of the bot that is to have the database, is not set',
      )
    }
    const id = botIdOf(botToken)
    await withPool({ env, migrates: true }, (pool) =>
      takeOverDatabase(pool, { id, isPlayground: false }),
    )
    print(`The database belongs to bot ${id} now.`)
  })
}
