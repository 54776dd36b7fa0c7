import { expect, test } from 'vitest'
import { createStoppableTurns } from '../../../../../src/bot/talk/reply/stoppable-turns.ts'
import { ANNA, BORIS } from '../../../bot-setup.ts'
import { turns, until } from '../../turns/ended.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish, SILENT_MS } from './waiting-scene.ts'

test('a question that was taken back is never asked, those after it are', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  scene.send('two')
  scene.send('three')
  await scene.waits(2)
  await scene.pass(SILENT_MS)
  await scene.waitForText('I’ll answer this after the 2 questions before it.')

  const taken = scene.message(/after the question/)
  expect(taken?.id).toBeLessThan(scene.message(/after the 2 questions/)?.id ?? 0)
  const data = `back:${(await turns(scene.setup))[1]?.id}`
  expect(await scene.press({ messageId: taken?.id ?? 0, data })).toBe('')
  await scene.waitForText(/^\(Stopped before the model was asked/)
  finish(first, 'e.')
  const third = await scene.next()
  finish(third, 'Three.')
  await scene.ended(3)

  expect(scene.setup.service.completions.map(({ prompt }) => prompt)).toEqual(['one', 'three'])
  expect(await turns(scene.setup)).toMatchObject([
    { state: 'finished' },
    { state: 'stopped', errorCode: 'not_asked', requests: 0, charge: [] },
    { state: 'finished' },
  ])
})

// Promise: A question that waits is taken back, twice at once, by somebody else, or after its answer began
test('two presses at once take a question back once', async () => {
  const scene = await createWaitingScene()
  await scene.askAndSee('one', 'On')
  scene.send('two')
  await scene.waits(1)
  await scene.pass(SILENT_MS)
  await scene.waitForText(/after the question/)
  const { id: messageId = 0 } = scene.message(/after the question/) ?? {}
  const data = `back:${(await turns(scene.setup))[1]?.id}`

  await Promise.all([scene.press({ messageId, data }), scene.press({ messageId, data })])
  await until(async () => (await turns(scene.setup))[1]?.endedAt !== null)

  const lines = scene.setup.textsIn(ANNA)
  expect(lines).toEqual(['On', expect.stringMatching(/^\(Stopped before the model was asked/)])
})

// Promise: A question that waits is taken back, twice at once, by somebody else, or after its answer began
test('in a group only who asked takes a question back, and every line answers its question', async () => {
  const { setup, ...scene } = await createWaitingScene({ group: true })
  const first = await scene.askAndSee('one', 'On')
  const two = scene.send('two', BORIS)
  await scene.waits(1)
  await scene.pass(SILENT_MS)
  await scene.waitForText('Отвечу после предыдущего вопроса.')
  const line = scene.message(/Отвечу/)
  const data = `back:${(await turns(setup))[1]?.id}`
  expect(line?.replyToMessageId).toBe(two)

  const byAnna = await scene.press({ messageId: line?.id ?? 0, data })
  expect(byAnna).toMatch(/^Only the person who asked/)
  expect(await turns(setup)).toMatchObject([{}, { state: 'waiting' }])
  await scene.press({ messageId: line?.id ?? 0, data, userId: BORIS })
  await scene.waitForText(/Ничего не списано/)
  finish(first, 'e.')
  await scene.ended(2)

  expect(setup.service.completions).toHaveLength(1)
})

// Promise: A question that waits is taken back, twice at once, by somebody else, or after its answer began
test('a question whose answer has begun is not taken back', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  const { prisma } = scene.setup.database
  const { takeBack } = createStoppableTurns({
    prisma,
    notifications: { listen: () => {} },
    onWaiting: async () => {},
    onLeft: async () => {},
  })
  const target = { chatId: scene.chatId, turnId: (await turns(scene.setup))[0]?.id ?? 0n }

  expect(await takeBack(target, { userId: BORIS, isAdmin: false })).toBe('not_yours')
  expect(await takeBack(target, { userId: ANNA, isAdmin: false })).toBe('begun')
  finish(first, 'One.')
  await scene.ended(1)

  expect(await turns(scene.setup)).toMatchObject([{ state: 'finished', stopRequestedAt: null }])
  expect(await takeBack(target, { userId: ANNA, isAdmin: false })).toBe('nothing')
})

test('when its time comes the line of a question becomes the message of its answer', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  scene.send('two')
  await scene.waits(1)
  await scene.pass(SILENT_MS)
  await scene.waitForText(/after the question/)
  const line = scene.message(/after the question/)

  finish(first, 'e.')
  const second = await scene.next()
  await scene.waitForText('Answering…')
  expect(labels(scene.setup, ANNA)).toEqual([['Stop']])
  expect(scene.message(/^Answering/)?.id).toBe(line?.id)
  finish(second, 'Two.')
  await scene.ended(2)
})

test('/stop ends the answer that is written; questions that wait stay', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  scene.send('two')
  await scene.waits(1)
  await scene.pass(SILENT_MS)
  await scene.waitForText(/after the question/)

  scene.send('/stop')
  const second = await scene.next()
  finish(first, 'e.')
  finish(second, 'Two.')
  await scene.ended(2)

  expect(second.prompt).toBe('two')
  expect(await turns(scene.setup)).toMatchObject([{ state: 'stopped' }, { state: 'finished' }])
})
