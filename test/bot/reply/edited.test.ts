import { expect, test } from 'vitest'
import type { OpenCompletion } from '../chat-service.ts'
import { ANNA, createHouse, type House } from '../house.ts'
import { labels, press } from './buttons.ts'
import { ended, turns, until } from './ended.ts'

test('an edited prompt is run again from there: a branch, and both costs are kept', async () => {
  const house = await createHouse()
  await house.startBot()
  house.service.onCompletion(echo)
  const one = house.playground.userSends({ userId: ANNA, text: 'one' })
  house.playground.userSends({ userId: ANNA, text: 'two' })
  await ended(house, 2)

  house.playground.userEdits({ userId: ANNA, messageId: one.message_id, text: 'uno' })
  await ended(house, 3)
  expect(labels(house, ANNA)).toEqual([['Run again from here']])
  const offer = house.playground.transcript(ANNA).at(-1)
  expect(offer?.replyToMessageId).toBe(one.message_id)
  await press(house, 'Run again from here')
  await ended(house, 4)
  house.playground.userSends({ userId: ANNA, text: 'three' })
  await ended(house, 5)

  expect(house.said(ANNA)).toEqual(['To one', 'To two', 'To uno', 'To three'])
  expect(house.service.completions.at(-1)?.request.messages.map(({ content }) => content)).toEqual([
    'uno',
    'To uno',
    'three',
  ])
  expect(await house.database.prisma.charge.count()).toBe(4)
})

test('a prompt that is edited before it is asked is asked as it is then, without an offer', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await house.service.next()
  const two = house.playground.userSends({ userId: ANNA, text: 'two' })
  house.playground.userEdits({ userId: ANNA, messageId: two.message_id, text: 'due' })
  await until(async () => (await house.database.prisma.update.count()) === 3)

  echo(first)
  echo(await house.service.next())
  await ended(house, 2)

  expect(house.said(ANNA)).toEqual(['To one', 'To due'])
  expect((await turns(house))[1]?.messages[0]?.content).toBe('due')
})

test('an edit of the first of several messages that are one prompt leaves the others', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await house.service.next()
  const cut = house.playground.userSends({ userId: ANNA, text: 'x'.repeat(4096) })
  house.playground.userSends({ userId: ANNA, text: 'rest' })
  house.playground.userEdits({ userId: ANNA, messageId: cut.message_id, text: 'y' })
  await until(async () => (await house.database.prisma.update.count()) === 4)

  echo(first)
  const second = await house.service.next()
  second.finish()
  await ended(house, 2)

  expect(second.prompt).toBe('yrest')
  expect(labels(house, ANNA)).toEqual([])
})

test('an edit of any of several messages that are one prompt is offered, with all edits so far', async () => {
  const house = await createHouse()
  const before = await house.startBot()
  house.service.onCompletion(echo)
  const parts = ['a'.repeat(4096), `${'b'.repeat(4000)} c`, 'the end'].map((text) =>
    house.playground.userSends({ userId: ANNA, text }),
  )
  const edit = (index: number, text: string) =>
    house.playground.userEdits({ userId: ANNA, messageId: parts[index]?.message_id ?? 0, text })
  await ended(house)
  before.kill()
  await house.startBot()

  edit(2, 'their end')
  await ended(house, 2)
  const offer = house.playground.transcript(ANNA).at(-1)
  expect(offer?.replyToMessageId).toBe(parts[0]?.message_id)
  edit(1, 'the middle')
  await until(async () => (await house.database.prisma.update.count(UNHANDLED)) === 0)
  await press(house, 'Run again from here')
  await ended(house, 3)
  edit(0, 'The beginning, ')
  await ended(house, 4)
  await press(house, 'Run again from here')
  await ended(house, 5)

  expect(house.service.completions.map(({ prompt }) => prompt)).toEqual([
    `${'a'.repeat(4096)}${'b'.repeat(4000)} c\nthe end`,
    `${'a'.repeat(4096)}the middle\ntheir end`,
    'The beginning,the middle\ntheir end',
  ])
  expect(house.service.completions.at(-1)?.request.messages).toHaveLength(1)
})

test('a second edit changes the offer, an edit back to what was answered needs none', async () => {
  const house = await createHouse()
  await house.startBot()
  house.service.onCompletion(echo)
  const { message_id: messageId } = house.playground.userSends({ userId: ANNA, text: 'one' })
  await ended(house)
  house.playground.userEdits({ userId: ANNA, messageId, text: 'one' })
  house.playground.userEdits({ userId: ANNA, messageId, text: 'uno' })
  house.playground.userEdits({ userId: ANNA, messageId, text: 'eins' })
  await ended(house, 2)

  await press(house, 'Run again from here')
  await ended(house, 3)

  expect(house.said(ANNA)).toEqual(['To one', 'To eins'])
})

test('a crash after the offer was kept and before it was shown: it is shown once', async () => {
  const house = await createHouse()
  const first = await house.startBot()
  house.service.onCompletion(echo)
  const { message_id: messageId } = house.playground.userSends({ userId: ANNA, text: 'one' })
  await ended(house)
  const held = house.playground.fault({ kind: 'hold', method: 'sendRichMessage' })
  house.playground.userEdits({ userId: ANNA, messageId, text: 'uno' })
  await house.playground.waitFor(() => held.hits === 1)
  first.kill()

  await house.startBot()
  await ended(house, 2)

  expect(labels(house, ANNA)).toEqual([['Run again from here']])
  expect(await house.database.prisma.turn.count()).toBe(2)
})

test('what a message answers reaches the model in front of it', async () => {
  const house = await createHouse()
  await house.startBot()
  house.service.onCompletion(echo)
  house.playground.userSends({ userId: ANNA, text: 'one\nline' })
  await ended(house)
  const [, reply] = house.playground.transcript(ANNA)

  house.playground.userSends({ userId: ANNA, text: 'Why?', replyToMessageId: reply?.id ?? 0 })
  await ended(house, 2)

  expect(promptOf(house)).toBe('In reply to this message:\n> To one\n> line\n\nWhy?')
})

const UNHANDLED = { where: { handledAt: null } }

function promptOf(house: House): string | undefined {
  return house.service.completions.at(-1)?.prompt
}

function echo(completion: OpenCompletion): void {
  completion.delta(`To ${completion.prompt}`)
  completion.finish()
}
