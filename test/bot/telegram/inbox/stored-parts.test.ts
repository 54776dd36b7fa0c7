import type { Message, Update } from 'grammy/types'
import { beforeEach, expect, test } from 'vitest'
import { createStoredParts } from '../../../../src/bot/telegram/inbox/stored-parts.ts'
import type { LeasedUpdate } from '../../../../src/bot/telegram/inbox/stored-updates.ts'
import {
  openTestDatabase,
  type TestDatabase,
} from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { messageUpdate } from './inbox-setup.ts'

let database: TestDatabase
let parts: ReturnType<typeof createStoredParts>

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase(), connectionsMax: 2 })
  parts = createStoredParts(database)
  return () => database.close()
})

const BOLD = { type: 'bold', offset: 0, length: 2 } as const

function messageOf(id: number, text: string, extra: Partial<Message> = {}) {
  return { ...(messageUpdate(id, text).message as Message), text, ...extra } as NonNullable<
    Update['message']
  > & { text: string }
}

function edit(id: number, text: string, extra: Partial<Message> = {}): Update {
  return { update_id: 900, edited_message: { ...messageOf(id, text, extra), edit_date: 77 } }
}

function leased(update: Update, next: Update[] = []): LeasedUpdate {
  return { update, next, isFirst: true, isLate: false, isBeside: false }
}

async function joined(update: Update): Promise<Update> {
  return (await parts.join(leased(update))).update
}

const [ONE, TWO] = ['1'.repeat(4096), '2'.repeat(4050)]

async function joinThree(): Promise<void> {
  const updates = [
    messageOf(1, ONE, { author_signature: 'first' }),
    messageOf(2, TWO, { entities: [BOLD] }),
    messageOf(3, 'three'),
  ].map((message) => ({ update_id: message.message_id, message }))
  const [first, ...next] = updates
  if (first) await parts.join(leased(first, next))
}

test('the edit of a part is one of the whole prompt, with the edits before it', async () => {
  await joinThree()

  const last = await joined(edit(3, 'drei', { entities: [BOLD] }))
  const again = await joined(edit(3, 'drei', { entities: [BOLD] }))
  const first = await joined(edit(1, 'eins', { author_signature: 'edited' }))

  expect(last).toMatchObject({
    update_id: 900,
    edited_message: {
      message_id: 1,
      edit_date: 77,
      author_signature: 'first',
      text: `${ONE}${TWO}\ndrei`,
      entities: [
        { ...BOLD, offset: 4096 },
        { ...BOLD, offset: 4096 + 4051 },
      ],
    },
  })
  expect(again).toEqual(last)
  expect(first.edited_message).toMatchObject({
    message_id: 1,
    author_signature: 'edited',
    text: `eins${TWO}\ndrei`,
  })
})
