import { expect, test } from 'vitest'
import { ANNA } from '../../../bot-setup.ts'
import { turns, until } from '../../turns/ended.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish, SILENT_MS, texts } from './waiting-scene.ts'

test('a question that waits is acknowledged in reply to it, and its answer grows in that message', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  const two = scene.send('two')
  await scene.waits(1)
  expect(scene.setup.textsIn(ANNA)).toEqual(['On'])

  await scene.pass(SILENT_MS)
  await scene.waitForText('I’ll answer this after the question before it.')
  const line = scene.message(/after the question/)
  expect(line?.replyToMessageId).toBe(two)
  expect(labels(scene.setup, ANNA)).toEqual([['Stop'], ['Take back']])
  finish(first, 'e.')
  const second = await scene.next()
  expect(labels(scene.setup, ANNA)).not.toContain(['Take back', 'Stop'])
  finish(second, 'Two.')
  await scene.ended(2)

  expect(scene.message(/Two/)?.id).toBe(line?.id)
  expect(scene.setup.textsIn(ANNA)).toEqual(['One.', 'Two.'])
  expect(labels(scene.setup, ANNA)).toEqual([])
  expect(second.request.messages.map(({ content }) => content)).toEqual(['one', 'One.', 'two'])
})

test('a wait that is over within a second is not shown', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  scene.send('two')
  await scene.waits(1)

  finish(first, 'One.')
  const second = await scene.next(SILENT_MS - 1)
  await scene.pass(SILENT_MS)
  finish(second, 'Two.')
  await scene.ended(2)

  expect(texts(scene.setup, 'sendMessage')).toEqual(['One.', 'Two.'])
  expect(scene.setup.textsIn(ANNA)).toEqual(['One.', 'Two.'])
})

test('ten questions wait, each with a line and a button of its own, and are answered in order', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('0', 'To')
  for (let number = 1; number <= 10; number++) scene.send(String(number))
  await scene.waits(10)
  await scene.flowUntil(() => labels(scene.setup, ANNA).length === 11)

  finish(first, ' 0')
  for (let number = 1; number <= 10; number++) {
    const completion = await scene.next()
    finish(completion, `To ${completion.prompt}`)
  }
  await scene.ended(11)

  const prompts = scene.setup.service.completions.map(({ prompt }) => prompt)
  expect(prompts).toEqual(Array.from({ length: 11 }, (_, number) => String(number)))
  expect(scene.setup.textsIn(ANNA)).toEqual(prompts.map((prompt) => `To ${prompt}`))
})

test.each(['kill', 'stop'] as const)(
  'after a restart (%s) a question that was acknowledged is answered once, in its line',
  async (how) => {
    const scene = await createWaitingScene()
    const first = await scene.ask('one')
    first.delta('Half')
    scene.send('two')
    await scene.waits(1)
    await scene.pass(SILENT_MS)
    await scene.waitForText(/after the question/)
    const line = scene.message(/after the question/)
    await until(async () => (await turns(scene.setup))[1]?.messageIds.length === 1)

    if (how === 'stop') await scene.flow(scene.bot.stop(0))
    // The process ends in both cases, and its leases end with it.
    await scene.bot.kill()
    await scene.setup.startBot()
    const second = await scene.next()
    finish(second, 'Two.')
    await scene.ended(2)

    expect(second.prompt).toBe('two')
    expect(scene.message(/^Two/)?.id).toBe(line?.id)
    expect(texts(scene.setup, 'sendMessage').filter((text) => /after the/.test(text))).toHaveLength(
      1,
    )
    expect(await turns(scene.setup)).toMatchObject([
      { state: 'interrupted' },
      { state: 'finished', requests: 1 },
    ])
  },
)
