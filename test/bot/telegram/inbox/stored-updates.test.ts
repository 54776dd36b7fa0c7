import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createStoredUpdates } from '../../../../src/bot/telegram/inbox/stored-updates.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { messageUpdate } from './inbox-setup.ts'

const LEASE = { limit: 10, gapMs: 3_000 }

// Promise: The cluster fails over to a primary whose clock is an hour off
test('what was stored by a clock that was an hour ahead waits no longer for what may belong to it, or come before it', async () => {
  const pool = new pg.Pool({ connectionString: await createTestDatabase() })
  onTestFinished(() => pool.end())
  await pool.query(`INSERT INTO public.instance (id, works) VALUES (1, '{bot}')`)
  const stored = createStoredUpdates({ pool, instanceId: 1 })
  // The second came without the one before it, and a part of either may be on its way.
  for (const id of [11, 13]) {
    const update = messageUpdate(id, `Question ${id}`)
    await stored.add([{ update, conversationKey: 'chat', sentAt: new Date(), waitMs: 1_000 }])
  }
  const before = await stored.lease(LEASE)

  await pool.query(`UPDATE bot.update SET received_at = received_at + interval '1 hour',
    ready_at = ready_at + interval '1 hour'`)
  const after = await stored.lease(LEASE)

  expect(before.updates).toEqual([])
  expect(after.updates.map(({ update, next }) => [update.update_id, next.length])).toEqual([
    [11, 1],
  ])
})
