import { startEmbeddedDatabase } from '../../platform/database/embedded/embedded.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { readConfig } from '../../process/config.ts'
import { createProgram } from '../command-line/create-program.ts'
import { runProgram } from '../command-line/run-program.ts'
import { tellOperator } from '../command-line/with-pool.ts'
import { writeJson } from '../command-line/write-json.ts'

await runProgram(({ env, print }) =>
  createProgram({
    use: 'npm run migrate --',
    about: 'Brings the database up to date, as every start does, without starting anything else.',
  }).action(async () => {
    const { databaseUrl, dataDir } = readConfig(env)
    const embedded =
      databaseUrl === undefined ? await startEmbeddedDatabase({ dataDir }) : undefined
    try {
      const applied = await migrate(databaseUrl ?? embedded?.url ?? '', { onWait: tellOperator })
      print(writeJson({ applied }))
    } finally {
      await embedded?.stop()
    }
  }),
)
