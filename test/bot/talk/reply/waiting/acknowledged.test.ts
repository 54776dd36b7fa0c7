import { expect, test } from 'vitest'
import { ANNA } from '../../../bot-setup.ts'
import { turns, until } from '../../turns/ended.ts'
import { refuseTurnChanges } from '../../turns/refusing-database.ts'
import { labels } from '../buttons.ts'
import { createWaitingScene, finish, SILENT_MS, texts } from './waiting-scene.ts'

const LOOK = 'read turn, update turn'

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

// Promise: Several questions come at once
test('the line of a question stands below the answer to the one before, also when that has no line and is slow', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  scene.send('two')
  scene.send('three')
  await scene.waits(2)
  finish(first, 'One.')
  const second = await scene.next(SILENT_MS - 1)

  const line = () => scene.message(/after the question/)
  const looks = () => scene.bot.statements.kinds.filter((kind) => kind === LOOK).length
  await scene.flowUntil(() => line() !== undefined || looks() > 1)
  second.delta('Tw')
  await scene.waitForText('Tw')
  await scene.flowUntil(() => line() !== undefined)
  finish(second, 'o.')
  finish(await scene.next(), 'Three.')
  await scene.ended(3)

  expect(scene.setup.textsIn(ANNA)).toEqual(['One.', 'Two.', 'Three.'])
})

// Promise: Several questions come at once
test('an answer begins in a new message where the one before it went on below its line', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  scene.send('two')
  await scene.waits(1)
  await scene.waitForText(/after the question/)
  const rest = Array.from({ length: 300 }, (_, index) => `Paragraph ${index} of it.`)

  finish(first, `e.\n\n${rest.join('\n\n')}`)
  const second = await scene.next()
  finish(second, 'Two.')
  await scene.ended(2)

  const texts = scene.setup.textsIn(ANNA)
  expect(texts.length).toBeGreaterThan(2)
  expect(texts.at(-1)).toBe('Two.')
  expect(texts.slice(0, -1).join('')).toMatch(/^One\..*Paragraph 299 of it\.$/s)
})

// Promise: A question that waits is edited, or was cut by its client
test('a text that a client cut waits as one question', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  const cut = 'x'.repeat(4096)
  const two = scene.send(cut)
  scene.send('rest')
  await scene.waits(1)
  await scene.pass(SILENT_MS)
  await scene.waitForText(/after the question/)

  expect(scene.message(/after the question/)?.replyToMessageId).toBe(two)
  finish(first, 'e.')
  const second = await scene.next()
  finish(second, 'Two.')
  await scene.ended(2)

  expect(second.prompt).toBe(`${cut}rest`)
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

// Promise: The process ends between the line that a question waits and its answer
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

// Promise: The line that a question waits is sent with no known outcome
test('a line whose sending has no known outcome is not sent again, and the answer grows below it', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  scene.send('two')
  await scene.waits(1)
  scene.setup.playground.fault({ kind: 'dropAfter', method: 'sendMessage' })
  await scene.pass(SILENT_MS)
  await scene.waitForText(/after the question/)
  await until(async () => (await turns(scene.setup))[1]?.leaseOwner === null)

  finish(first, 'e.')
  const second = await scene.next()
  second.delta('Two')
  await scene.waitForText('Two')
  second.finish()
  await scene.ended(2)

  expect(scene.setup.textsIn(ANNA)).toContain('Two')
  const lines = texts(scene.setup, 'sendMessage').filter((text) => /after the/.test(text))
  expect(lines).toHaveLength(1)
})

// Promise: Messages more than an hour old come while an answer is written
test('a late message is asked about and not acknowledged, beside the answer that is written', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')
  await scene.setup.database.pool.query(
    `CREATE FUNCTION bot.make_late() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN NEW.sent_at = now() - interval '2 hours'; RETURN NEW; END $$;
     CREATE TRIGGER make_late BEFORE INSERT ON bot.update
       FOR EACH ROW EXECUTE FUNCTION bot.make_late()`,
  )
  scene.send('two')
  scene.send('three')
  await scene.flowUntil(() => labels(scene.setup, ANNA).length === 2)
  await scene.pass(SILENT_MS)
  finish(first, 'One.')
  await scene.ended(3)

  expect(texts(scene.setup, 'sendMessage').filter((text) => /after the/.test(text))).toEqual([])
  expect(await turns(scene.setup)).toMatchObject([{}, { state: 'held' }, { state: 'held' }])
})

test('a question is answered though the database went away while its line was shown', async () => {
  const scene = await createWaitingScene()
  const first = await scene.askAndSee('one', 'On')
  scene.send('two')
  await scene.waits(1)
  const takeAgain = await refuseTurnChanges(scene.setup, {
    change: 'UPDATE OF lease_owner',
    when: "OLD.state = 'waiting' AND NEW.lease_owner IS NULL",
  })
  await scene.waitForText(/after the question/)
  finish(first, 'e.')
  await scene.flowUntil(() => scene.setup.textsIn(ANNA).includes('One.'))

  await takeAgain()
  finish(await scene.next(), 'Two.')
  await scene.ended(2)

  expect(scene.setup.textsIn(ANNA)).toEqual(['One.', 'Two.'])
})
