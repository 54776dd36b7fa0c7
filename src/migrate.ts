import { tellOperator } from './command-line/with-pool.ts'
import { ConfigError, readConfig } from './config.ts'
import { startEmbeddedDatabase } from './database/embedded/embedded.ts'
import { migrate } from './database/migrate.ts'
import { readEnvironment } from './environment.ts'

/** `npm run migrate`: brings the database up to date without starting anything else. */
async function run(): Promise<void> {
  const { databaseUrl, dataDir } = readConfig(readEnvironment())
  const embedded = databaseUrl === undefined ? await startEmbeddedDatabase({ dataDir }) : undefined
  try {
    const applied = await migrate(databaseUrl ?? embedded?.url ?? '', { onWait: tellOperator })
    process.stdout.write(`${JSON.stringify({ applied })}\n`)
  } finally {
    await embedded?.stop()
  }
}

try {
  await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = error instanceof ConfigError ? 2 : 1
}
