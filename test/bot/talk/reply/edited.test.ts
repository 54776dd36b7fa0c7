import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import type { OpenCompletion } from '../../chat-service.ts'
import { ended, turns, until } from '../turns/ended.ts'
import { labels, press } from './buttons.ts'

test('an edited prompt is run again from there: a branch, and both costs are kept', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.service.onCompletion(echo)
  const one = setup.playground.userSends({ userId: ANNA, text: 'one' })
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  await ended(setup, 2)

  setup.playground.userEdits({ userId: ANNA, messageId: one.message_id, text: 'uno' })
  await ended(setup, 3)
  expect(labels(setup, ANNA)).toEqual([['Answer again from here']])
  const offer = setup.playground.transcript(ANNA).at(-1)
  expect(offer?.replyToMessageId).toBe(one.message_id)
  await press(setup, 'Answer again from here')
  await ended(setup, 4)
  setup.playground.userSends({ userId: ANNA, text: 'three' })
  await ended(setup, 5)

  expect(setup.textsIn(ANNA)).toEqual(['To one', 'To two', 'To uno', 'To three'])
  expect(setup.service.completions.at(-1)?.request.messages.map(({ content }) => content)).toEqual([
    'uno',
    'To uno',
    'three',
  ])
  expect(await setup.database.prisma.charge.count()).toBe(4)
})

test('a prompt that is edited before it is asked is asked as it is then, without an offer', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()
  const two = setup.playground.userSends({ userId: ANNA, text: 'two' })
  setup.playground.userEdits({ userId: ANNA, messageId: two.message_id, text: 'due' })
  await until(async () => (await setup.database.prisma.update.count()) === 3)

  echo(first)
  echo(await setup.service.next())
  await ended(setup, 2)

  expect(setup.textsIn(ANNA)).toEqual(['To one', 'To due'])
  expect((await turns(setup))[1]?.messages[0]?.content).toBe('due')
})

test('an edit of the first of several messages that are one prompt leaves the others', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()
  const cut = setup.playground.userSends({ userId: ANNA, text: 'x'.repeat(4096) })
  setup.playground.userSends({ userId: ANNA, text: 'rest' })
  setup.playground.userEdits({ userId: ANNA, messageId: cut.message_id, text: 'y' })
  await until(async () => (await setup.database.prisma.update.count()) === 4)

  echo(first)
  const second = await setup.service.next()
  second.finish()
  await ended(setup, 2)

  expect(second.prompt).toBe('yrest')
  expect(labels(setup, ANNA)).toEqual([])
})

test('an edit of any of several messages that are one prompt is offered, with all edits so far', async () => {
  const setup = await createBotSetup()
  const before = await setup.startBot()
  setup.service.onCompletion(echo)
  const parts = ['a'.repeat(4096), `${'b'.repeat(4000)} c`, 'the end'].map((text) =>
    setup.playground.userSends({ userId: ANNA, text }),
  )
  const edit = (index: number, text: string) =>
    setup.playground.userEdits({ userId: ANNA, messageId: parts[index]?.message_id ?? 0, text })
  await ended(setup)
  await before.kill()
  await setup.startBot()

  edit(2, 'their end')
  await ended(setup, 2)
  const offer = setup.playground.transcript(ANNA).at(-1)
  expect(offer?.replyToMessageId).toBe(parts[0]?.message_id)
  edit(1, 'the middle')
  await until(async () => (await setup.database.prisma.update.count(UNHANDLED)) === 0)
  await press(setup, 'Answer again from here')
  await ended(setup, 3)
  edit(0, 'The beginning, ')
  await ended(setup, 4)
  await press(setup, 'Answer again from here')
  await ended(setup, 5)

  expect(setup.service.completions.map(({ prompt }) => prompt)).toEqual([
    `${'a'.repeat(4096)}${'b'.repeat(4000)} c\nthe end`,
    `${'a'.repeat(4096)}the middle\ntheir end`,
    'The beginning,the middle\ntheir end',
  ])
  expect(setup.service.completions.at(-1)?.request.messages).toHaveLength(1)
})

test('a second edit changes the offer, an edit back to what was answered needs none', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.service.onCompletion(echo)
  const { message_id: messageId } = setup.playground.userSends({ userId: ANNA, text: 'one' })
  await ended(setup)
  setup.playground.userEdits({ userId: ANNA, messageId, text: 'one' })
  setup.playground.userEdits({ userId: ANNA, messageId, text: 'uno' })
  setup.playground.userEdits({ userId: ANNA, messageId, text: 'eins' })
  await ended(setup, 2)

  await press(setup, 'Answer again from here')
  await ended(setup, 3)

  expect(setup.textsIn(ANNA)).toEqual(['To one', 'To eins'])
})

test('the offer to run an edited prompt is shown once, also after a crash before it was', async () => {
  const setup = await createBotSetup()
  const first = await setup.startBot()
  setup.service.onCompletion(echo)
  const { message_id: messageId } = setup.playground.userSends({ userId: ANNA, text: 'one' })
  await ended(setup)
  const held = setup.playground.fault({ kind: 'hold', method: 'sendMessage' })
  setup.playground.userEdits({ userId: ANNA, messageId, text: 'uno' })
  await setup.playground.waitFor(() => held.hits === 1)
  await first.kill()

  await setup.startBot()
  await ended(setup, 2)

  expect(labels(setup, ANNA)).toEqual([['Answer again from here']])
  expect(await setup.database.prisma.turn.count()).toBe(2)
})

test('what a message answers reaches the model in front of it', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.service.onCompletion(echo)
  setup.playground.userSends({ userId: ANNA, text: 'one\nline' })
  await ended(setup)
  const [, reply] = setup.playground.transcript(ANNA)

  setup.playground.userSends({ userId: ANNA, text: 'Why?', replyToMessageId: reply?.id ?? 0 })
  await ended(setup, 2)

  expect(promptOf(setup)).toBe('In reply to this message:\n> To one\n> line\n\nWhy?')
})

const UNHANDLED = { where: { handledAt: null } }

function promptOf(setup: BotSetup): string | undefined {
  return setup.service.completions.at(-1)?.prompt
}

function echo(completion: OpenCompletion): void {
  completion.answer(`To ${completion.prompt}`)
}
