import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../conformance/open-service.ts'
import { PGBOUNCER, startPgbouncer } from '../../platform/database/pgbouncer.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-pgbouncer-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return dataDir
}

test.runIf(PGBOUNCER)(
  'behind a pooler in session mode a chat is answered, and charged what it cost',
  async () => {
    const databaseUrl = await createTestDatabase()
    const DATABASE_URL = await startPgbouncer(databaseUrl, 'session')
    const env = { DATABASE_URL, DATA_DIR: await makeDataDir() }
    const { address, stop } = await startKopeck(env, ['service'])
    const service = await openService({ baseUrl: `${address}/api/v1`, databaseUrl })

    for (const stream of [false, true]) {
      const { answer, before, after, costMicroRub } = await service.chargedChat({ stream })
      expect([answer.status, before - after]).toEqual([200, costMicroRub])
    }

    expect(await stop()).toBe(0)
  },
)
