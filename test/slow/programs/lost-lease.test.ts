import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'

test('a process that loses its lease where none can replace itself exits with 75', async () => {
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  onTestFinished(() => pool.end())
  const dataDir = await makeFolder()
  const service = await startKopeck(
    {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      NODE_OPTIONS: '--import=data:text/javascript,process.execve=undefined',
    },
    ['service'],
  )
  onTestFinished(service.kill)

  await pool.query('DELETE FROM instance')

  expect(await service.exited).toBe(75)
})
