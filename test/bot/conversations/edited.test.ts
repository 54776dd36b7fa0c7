import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { labels, press } from './buttons.ts'
import { ended, until } from './ended.ts'

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
  const edited = { where: { content: { contains: 'the middle' } } }
  await until(async () => (await setup.database.prisma.message.count(edited)) > 0)
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

function promptOf(setup: BotSetup): string | undefined {
  return setup.service.completions.at(-1)?.prompt
}

function echo(completion: OpenCompletion): void {
  completion.answer(`To ${completion.prompt}`)
}
