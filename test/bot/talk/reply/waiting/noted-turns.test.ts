import { expect, test } from 'vitest'
import { ANNA } from '../../../bot-setup.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish, SILENT_MS } from './waiting-scene.ts'

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
