import type { Command } from 'commander'
import { startEmbeddedDatabase } from '../platform/database/embedded/embedded.ts'
import { migrate } from '../platform/database/migrate.ts'
import { readConfig } from '../process/config/config.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'
import { writeJson } from './command-line/write-output.ts'

/** `kopeck migrate`: the database as this version needs it. */
export function createMigrateProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about: 'Brings the database up to date, as every start does, without starting anything else.',
  }).action(async () => {
    const { databaseUrl, dataDir } = readConfig(env)
    const embedded =
      databaseUrl === undefined ? await startEmbeddedDatabase({ dataDir }) : undefined
    try {
      const applied = await migrate(databaseUrl ?? embedded?.url ?? '')
      print(writeJson({ applied }))
    } finally {
      await embedded?.stop()
    }
  })
}
