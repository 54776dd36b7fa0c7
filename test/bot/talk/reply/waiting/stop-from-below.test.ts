import { expect, test } from 'vitest'
import { turns } from '../../turns/ended.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish } from './waiting-scene.ts'

test('/new beside an answer: it goes on in the conversation before, unless the button ends it', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  scene.send('/new')
  await scene.waitForText(/^New conversation\..*\n\nThe answer being written stays/)
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
