import { expect, test } from 'vitest'
import { BORIS } from '../../../bot-setup.ts'
import { turns } from '../../turns/ended.ts'
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
