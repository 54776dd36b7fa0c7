import { expect, test } from 'vitest'
import { ANNA } from '../../../bot-setup.ts'
import { turns } from '../../turns/ended.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish, SILENT_MS } from './waiting-scene.ts'

// Promise: `/model` or `/new` comes between questions that wait
test('questions and commands count in the order of sending: each question has the model and the conversation of then', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  scene.send('two')
  await scene.waits(1)
  await scene.setup.database.prisma.conversation.updateMany({ data: { model: 'beta' } })
  scene.send('three')
  scene.send('/new')
  scene.send('four')
  await scene.flow(scene.waits(3))

  finish(first, 'One.')
  const asked = [first.request]
  for (const text of ['Two.', 'Three.', 'Four.']) {
    const completion = await scene.next()
    asked.push(completion.request)
    finish(completion, text)
  }
  await scene.ended(4)

  expect(asked.map(({ model, messages }) => [model, messages.length])).toEqual([
    ['alpha', 1],
    ['alpha', 3],
    ['beta', 5],
    ['beta', 1],
  ])
})

// Promise: A question that waits is edited, or was cut by its client
test('an edit of a question that waits is what is asked', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  const two = scene.send('two')
  await scene.waits(1)
  await scene.pass(SILENT_MS)
  scene.setup.playground.userEdits({ userId: ANNA, messageId: two, text: 'due' })
  scene.send('/help')
  await scene.waitForText(/^Write anything/)

  finish(first, 'One.')
  const second = await scene.next()
  finish(second, 'Two.')
  await scene.ended(2)

  expect(second.prompt).toBe('due')
  expect(labels(scene.setup, ANNA)).toEqual([['More »']])
})

test('an edit of a question that was answered is offered while another one is', async () => {
  const scene = await createWaitingScene()
  const one = scene.send('one')
  finish(await scene.next(), 'One.')
  await scene.ended(1)
  const second = await scene.ask('two')

  scene.setup.playground.userEdits({ userId: ANNA, messageId: one, text: 'uno' })
  await scene.waitForText(/^You edited this message/)
  expect(labels(scene.setup, ANNA)).toEqual([['Answer again from here']])
  finish(second, 'Two.')
  await scene.ended(3)
})

test('Retry waits like a question, beside the answer that is written', async () => {
  const scene = await createWaitingScene()
  const failing = await scene.ask('one')
  failing.refuse(502)
  await scene.ended(1)
  const second = await scene.askAndSee('two', 'Tw')

  const { id: messageId = 0 } = scene.message(/./) ?? {}
  const data = `retry:${(await turns(scene.setup))[0]?.id}`
  expect(await scene.press({ messageId, data })).toBe('')
  await scene.waits(1)
  await scene.pass(SILENT_MS)
  await scene.waitForText(/after the question/)
  finish(second, 'o.')
  const again = await scene.next()
  finish(again, 'One.')
  await scene.ended(3)

  expect(again.request.messages.map(({ content }) => content)).toEqual(['two', 'Two.', 'one'])
  expect(scene.message(/^One/)?.replyToMessageId).toBe(scene.first)
})
