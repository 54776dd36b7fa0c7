import { expect, test } from 'vitest'
import {
  ChatUnreachableError,
  SendOutcomeUnknownError,
} from '../../../../src/bot/telegram/errors.ts'
import { ANNA, createOutboxSetup } from './outbox-setup.ts'

async function createSentStage() {
  const setup = await createOutboxSetup()
  const target = await setup.outbox.send({ chatId: ANNA, text: 'first' })
  return { ...setup, target, statuses }

  function statuses(method: string) {
    return setup.callsOf(method).map(({ status }) => status)
  }
}

test.each([1, 8, 60, 600])(
  'a final edit refused for %i s is made as soon as they are over, once',
  async (retryAfter) => {
    const { outbox, playground, clock, target, statuses } = await createSentStage()
    playground.fault({ kind: '429', retryAfter, method: 'editMessageText' })

    const editing = outbox.edit(target, { markdown: '**whole**' })
    await clock.untilAsleep()
    clock.advance(Math.max(retryAfter, 2) * 1000)

    expect(await editing).toBe('shown')
    expect(statuses('editMessageText')).toEqual([429, 200])
    expect(playground.transcript(ANNA)[0]?.text).toBe('whole')
  },
)

test.each(['dropBefore', 'dropAfter', '500', 'html', 'restart'] as const)(
  'a final edit that met %s is made again; a send is not',
  async (kind) => {
    const { outbox, playground, clock, target, statuses } = await createSentStage()
    playground.fault({ kind, method: 'editMessageText' })
    playground.fault({ kind, method: 'sendMessage' })

    const editing = outbox.edit(target, 'whole')
    await clock.untilAsleep()
    clock.advance(1000)

    expect(await editing).toBe('shown')
    const sending = outbox.send({ chatId: ANNA, text: 'second' })
    await expect(sending).rejects.toBeInstanceOf(SendOutcomeUnknownError)
    expect(statuses('sendMessage')).toHaveLength(2)
    expect(playground.transcript(ANNA)[0]?.text).toBe('whole')
  },
)

test('an interim edit is never made again, and the final one carries the newest text', async () => {
  const { outbox, playground, clock, target, callsOf } = await createSentStage()
  playground.fault({ kind: '429', retryAfter: 5, method: 'editMessageText' })
  const interim = outbox.editInterim(target, 'stale')
  await clock.untilAsleep()
  clock.advance(1000)
  expect(await interim).toBe('dropped')

  const editing = outbox.edit(target, 'whole')
  await clock.untilAsleep()
  clock.advance(5000)

  expect(await editing).toBe('shown')
  const texts = callsOf('editMessageText').map(({ params }) => params.text)
  expect(texts).toEqual(['stale', 'whole'])
})

test('a chat that blocks the bot in the middle ends its finals and drops its interims', async () => {
  const { outbox, playground } = await createSentStage()
  playground.blocks(ANNA)

  const sending = outbox.send({ chatId: ANNA, markdown: 'more' })
  await expect(sending).rejects.toBeInstanceOf(ChatUnreachableError)
  await outbox.typing(ANNA)
})

test('a deleted message is gone for interim edits as well', async () => {
  const { outbox, playground, clock, target } = await createSentStage()
  playground.userDeletes(target)

  const editing = outbox.editInterim(target, 'more')
  await clock.untilAsleep()
  clock.advance(1000)

  expect(await editing).toBe('gone')
})
