import { describe, expect, test } from 'vitest'
import { markTime } from '../../../src/bot/texts/marks.ts'
import type { ManualClock } from '../../platform/time/manual-clock.ts'
import { ANNA, createOutboxSetup, GROUP } from './outbox-setup.ts'

const MARKDOWN = '# Title\n\n**bold** and `code`'

describe('times', () => {
  const TEXT = `Resets on ${markTime('21 Nov, 16:20', new Date('2026-11-21T13:20:00Z'))}`
  const TIME = { type: 'date_time', offset: 10, length: 13, unix_time: 1795267200 }

  test('are entities in a text, and in a rich message', async () => {
    const { outbox, playground } = await createOutboxSetup()

    const target = await outbox.send({ chatId: ANNA, text: TEXT })

    expect(playground.transcript(ANNA)[0]).toMatchObject({
      text: 'Resets on 21 Nov, 16:20',
      entities: [TIME],
    })
    await outbox.edit(target, { markdown: TEXT })
    expect(JSON.stringify(playground.transcript(ANNA)[0])).toContain('"unix_time":1795267200')
  })
})

describe('rich messages', () => {
  test('Markdown is sent and edited as a rich message, without entity detection', async () => {
    const { outbox, playground, callsOf } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, markdown: MARKDOWN })
    await outbox.edit(target, { text: 'plain' })
    await outbox.edit(target, { markdown: MARKDOWN })

    expect(playground.transcript(ANNA)[0]?.rich?.markdown).toBe(MARKDOWN)
    const [first] = callsOf('sendRichMessage')
    expect(JSON.parse(first?.params.rich_message ?? '')).toEqual({
      markdown: MARKDOWN,
      skip_entity_detection: true,
    })
  })

  test.each([
    ['can\'t parse InputRichBlock: type "my secret" is unsupported', "can't parse InputRichBlock"],
  ])('a refusal %j is reported by sends and edits of both kinds', async (description, reason) => {
    const { outbox, playground, clock } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'a' })
    const set = playground.fault({ kind: 'refuseRich', description, times: 3 })
    const body = { markdown: 'my secret' }

    const refused = [
      await outbox.send({ chatId: ANNA, ...body }).catch((error) => error),
      await outbox.edit(target, body).catch((error) => error),
      await afterRest(
        clock,
        outbox.editInterim(target, body).catch((error) => error),
      ),
    ]

    expect(set.hits).toBe(3)
    for (const error of refused) {
      expect(error).toMatchObject({ code: 'formatting_refused' })
      expect(error).toMatchObject({ facts: { reason, isUnsupported: false } })
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('secret')
    }
  })

  test('a server from before rich messages is recognized, in sends and in edits', async () => {
    const { outbox, playground } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'a' })
    playground.fault({ kind: 'noRich' })
    const body = { markdown: MARKDOWN }

    const sending = outbox.send({ chatId: ANNA, ...body })
    const editing = outbox.edit(target, body)

    for (const refused of [sending, editing]) {
      await expect(refused).rejects.toMatchObject({
        code: 'formatting_refused',
        facts: { isUnsupported: true },
      })
    }
    expect(playground.transcript(ANNA).map(({ text }) => text)).toEqual(['a'])
  })
})

test('a group that became a supergroup says where it lives on', async () => {
  const { outbox, playground } = await createOutboxSetup()
  const target = await outbox.send({ chatId: GROUP, text: 'a' })
  playground.migrates(GROUP, -1_000_000_000_303)

  const sending = outbox.send({ chatId: GROUP, text: 'b' })

  await expect(sending).rejects.toMatchObject({
    code: 'chat_migrated',
    facts: { chatId: GROUP, newChatId: -1_000_000_000_303 },
  })
  await expect(outbox.edit(target, 'c')).rejects.toThrow()
})

/** Waits until the chat has its burst back, which interim edits need. */
async function afterRest<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  await clock.untilAsleep()
  clock.advance(3000)
  return promise
}
