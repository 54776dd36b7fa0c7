import { expect, test } from 'vitest'
import { openService } from '../../conformance/open-service.ts'
import { PGBOUNCER, startPgbouncer } from '../../platform/database/pgbouncer.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'

test.runIf(PGBOUNCER)(
  'behind a pooler in session mode a chat is answered, and charged what it cost',
  async () => {
    const databaseUrl = await createTestDatabase()
    const DATABASE_URL = await startPgbouncer(databaseUrl, 'session')
    const env = { DATABASE_URL, DATA_DIR: await makeFolder() }
    const { address, stop } = await startKopeck(env, ['service'])
    const service = await openService({ baseUrl: `${address}/api/v1`, databaseUrl })

    for (const stream of [false, true]) {
      const { answer, before, after, costMicroRub } = await service.chargedChat({ stream })
      expect([answer.status, before - after]).toEqual([200, costMicroRub])
    }

    expect(await stop()).toBe(0)
  },
)
