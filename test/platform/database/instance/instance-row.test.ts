import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { addInstanceRow, beat } from '../../../../src/platform/database/instance/instance-row.ts'
import { openSession } from '../../../../src/platform/database/instance/session.ts'
import { migrate } from '../../../../src/platform/database/migrate.ts'
import { startPostgresServer } from '../../../slow/chaos/postgres-server.ts'
import { makeFolder } from '../../../support/make-folder.ts'

const WAITING = `SELECT wait_event FROM pg_stat_activity WHERE application_name = 'kopeck session'`

test('a beat is answered only once the synchronous standby has it: a primary that nobody follows renews no lease', async () => {
  const folder = await makeFolder()
  const server = await startPostgresServer(folder)
  onTestFinished(() => server.stop())
  await migrate(server.url)
  const operator = new pg.Client(server.url)
  await operator.connect()
  onTestFinished(() => operator.end())
  const follow = async (names: string) => {
    await operator.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    await operator.query('SELECT pg_reload_conf()')
  }
  const session = await openSession({ url: server.url, onError: () => {} })
  onTestFinished(() => session.close())
  const connection = session.connection()
  if (connection === undefined) throw new Error('The session is not there')
  const id = await addInstanceRow(connection, { name: undefined, works: [] })
  const event = async () => (await operator.query(WAITING)).rows[0]?.wait_event
  let hasWaited = false
  // PostgreSQL's checkpointer reads the names for all sessions, when nothing tells: beats before that are answered.
  const beatUntilOneWaits = async () => {
    for (;;) {
      const rows = await beat(connection, id)
      if (hasWaited) return rows
    }
  }
  await follow('gone')

  const beating = beatUntilOneWaits()
  await expect.poll(event).toBe('SyncRep')
  hasWaited = true
  await follow('')

  expect((await beating).map((row) => row.id)).toEqual([id])
})
