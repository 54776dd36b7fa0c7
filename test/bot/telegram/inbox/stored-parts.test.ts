import type { Message, Update } from 'grammy/types'
import { beforeEach, expect, test } from 'vitest'
import { createStoredParts } from '../../../../src/bot/telegram/inbox/stored-parts.ts'
import { openTestDatabase, type TestDatabase } from '../../../database/open-test-database.ts'
import { createTestDatabase } from '../../../database/test-database.ts'
import { ANNA, messageUpdate } from './inbox-setup.ts'

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

async function joinThree(): Promise<void> {
  await parts.join(1, {
    partIds: [2, 3],
    parts: [
      { separator: '', message: messageOf(1, 'one', { author_signature: 'first' }) },
      { separator: '', message: messageOf(2, 'two', { entities: [BOLD] }) },
      { separator: '\n', message: messageOf(3, 'three') },
    ],
  })
}

test('the edit of a part is one of the whole prompt, with the edits before it', async () => {
  await joinThree()

  const last = await parts.withOthers(edit(3, 'drei', { entities: [BOLD] }))
  const again = await parts.withOthers(edit(3, 'drei', { entities: [BOLD] }))
  const first = await parts.withOthers(edit(1, 'eins', { author_signature: 'edited' }))

  expect(last).toMatchObject({
    update_id: 900,
    edited_message: {
      message_id: 1,
      edit_date: 77,
      author_signature: 'first',
      text: 'onetwo\ndrei',
      entities: [
        { ...BOLD, offset: 3 },
        { ...BOLD, offset: 7 },
      ],
    },
  })
  expect(again).toEqual(last)
  expect(first.edited_message).toMatchObject({
    message_id: 1,
    author_signature: 'edited',
    text: 'einstwo\ndrei',
  })
})

test('whatever else comes stays as it is', async () => {
  await joinThree()
  const elsewhere = messageOf(3, 'x', { chat: { id: ANNA + 1, type: 'private', first_name: 'B' } })
  const updates: Update[] = [
    messageUpdate(3, 'new'),
    edit(4, 'another message'),
    { update_id: 1, edited_message: { ...elsewhere, edit_date: 77 } },
  ]

  for (const update of updates) expect(await parts.withOthers(update)).toBe(update)
})

test('parts are kept for as long as they can be edited', async () => {
  await joinThree()
  const age = (hours: number) =>
    database.pool.query(
      `UPDATE bot.prompt_part SET joined_at = now() - $1 * interval '1 hour' WHERE message_id > 1`,
      [hours],
    )

  await age(47.9)
  await parts.purge()
  expect(await database.prisma.promptPart.count()).toBe(3)
  await age(48.1)
  await parts.purge()

  expect(await database.prisma.promptPart.count()).toBe(1)
})
