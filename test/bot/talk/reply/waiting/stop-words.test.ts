import { expect, test } from 'vitest'
import { BORIS } from '../../../bot-setup.ts'
import { turns } from '../../turns/ended.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish } from './waiting-scene.ts'

test.each(['Stop!', 'стоп', 'СТОП…'])('%s ends the answer, and is not asked', async (word) => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')

  scene.send(word)
  await scene.waitForText('(Stopped.)')
  finish(first, 'One.')
  await scene.ended(1)

  expect(labels(scene.setup, scene.chatId)).toEqual([['Retry']])
  expect(scene.setup.service.completions).toHaveLength(1)
  expect(await turns(scene.setup)).toMatchObject([{ state: 'stopped' }])
})

test('in a group others may say stop and read that they cannot', async () => {
  const scene = await createWaitingScene({ group: true })
  const first = await scene.ask('one')

  const stop = scene.send('стоп', BORIS)
  await scene.waitForText(/^Это может сделать только тот/)
  finish(first, 'One.')
  await scene.ended(1)

  expect(scene.message(/^Это может сделать только/)?.replyToMessageId).toBe(stop)
  expect(scene.setup.service.completions).toHaveLength(1)
  expect(await turns(scene.setup)).toMatchObject([{ state: 'finished' }])
})

test('while nothing is written a message that says only stop is a question', async () => {
  const scene = await createWaitingScene()

  const asked = await scene.ask('stop')
  finish(asked, 'Stopped what?')
  await scene.ended(1)

  expect(asked.prompt).toBe('stop')
})
