import { expect, test } from 'vitest'
import { BORIS } from '../../../bot-setup.ts'
import { turns } from '../../turns/ended.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish } from './waiting-scene.ts'

// Promise: "Stop" is written as a message during an answer
test('a message that says only stop offers the button that ends the answer, and is not asked', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  const stop = scene.send('Stop!')
  await scene.waitForText(/^Stop the answer\?/)
  const offer = scene.message(/^Stop the answer\?/)
  expect(offer?.replyToMessageId).toBe(stop)

  const data = `halt:${(await turns(scene.setup))[0]?.id}`
  await scene.press({ messageId: offer?.id ?? 0, data })
  await scene.waitForText('(Stopped.)')
  finish(first, 'One.')
  await scene.ended(1)

  expect(labels(scene.setup, scene.chatId)).toEqual([['Retry']])
  expect(scene.setup.service.completions).toHaveLength(1)
  expect(await turns(scene.setup)).toMatchObject([{ state: 'stopped' }])
})

test('in a group others may say stop, in their language, and not press', async () => {
  const scene = await createWaitingScene({ group: true })
  const first = await scene.ask('one')
  scene.send('стоп', BORIS)
  await scene.waitForText(/^Остановить ответ\?/)

  const messageId = scene.message(/^Остановить/)?.id ?? 0
  const data = `halt:${(await turns(scene.setup))[0]?.id}`
  expect(await scene.press({ messageId, data, userId: BORIS })).toMatch(/.+/)
  finish(first, 'One.')
  await scene.ended(1)

  expect(labels(scene.setup, scene.chatId)).toEqual([['Остановить ответ']])
  expect(await turns(scene.setup)).toMatchObject([{ state: 'finished' }])
})

test('while nothing is written a message that says only stop is a question', async () => {
  const scene = await createWaitingScene()

  const asked = await scene.ask('stop')
  finish(asked, 'Stopped what?')
  await scene.ended(1)

  expect(asked.prompt).toBe('stop')
})

test('/new beside an answer: it goes on in the conversation before, unless the button ends it', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  scene.send('/new')
  await scene.waitForText(/^New conversation.*\n\nThe answer being written stays/)
  scene.send('two')
  await scene.waits(1)

  const messageId = scene.message(/^New conversation/)?.id ?? 0
  const data = `halt:${(await turns(scene.setup))[0]?.id}`
  await scene.press({ messageId, data })
  const second = await scene.next()
  finish(first, 'One.')
  finish(second, 'Two.')
  await scene.ended(2)

  expect(second.request.messages).toEqual([{ role: 'user', content: 'two' }])
  expect(await turns(scene.setup)).toMatchObject([{ state: 'stopped' }, { state: 'finished' }])
  expect(labels(scene.setup, scene.chatId)).toEqual([['Retry']])
})
