import { expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { labels } from './buttons.ts'
import { ended, turns, until } from './ended.ts'

const GROUP = -5
/** A wait is shown after a second. */
const SILENT_MS = 1_000
const FLOW_MS = 50

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

test('a message that only says stop ends the answer, and is not asked', async () => {
  const scene = await createWaitingScene()
  const first = await scene.ask('one')

  scene.send('Stop!')
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

/** A bot with a chat in which questions wait, on a stopped clock. */
async function createWaitingScene({ group = false } = {}) {
  const clock = createManualClock()
  const setup = await createBotSetup({ clock })
  const chatId = group ? GROUP : ANNA
  if (group) setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  const bot = await setup.startBot()
  const scene = {
    setup,
    bot,
    chatId,
    first: 0,
    ask,
    askAndSee,
    next,
    send,
    waits,
    waitForText,
    message,
    ended: allEnded,
    pass: setup.passTime,
    press: pressAt,
    flow,
    flowUntil,
  }
  return scene

  function send(text: string, userId = ANNA): number {
    const named = group ? `@${setup.playground.me.username} ${text}` : text
    return setup.playground.userSends({ userId, chatId, text: named }).message_id
  }

  async function ask(text: string): Promise<OpenCompletion> {
    const id = send(text)
    scene.first ||= id
    return next()
  }

  async function askAndSee(text: string, beginning: string): Promise<OpenCompletion> {
    const completion = await ask(text)
    completion.delta(beginning)
    await waitForText(beginning)
    return completion
  }

  function next(flowMsMax = Number.POSITIVE_INFINITY): Promise<OpenCompletion> {
    return flow(setup.service.next(), flowMsMax)
  }

  async function waits(count: number): Promise<void> {
    const { turn } = setup.database.prisma
    await until(async () => (await turn.count({ where: { state: 'waiting' } })) === count)
  }

  async function waitForText(text: string | RegExp): Promise<void> {
    await flowUntil(() =>
      setup
        .textsIn(chatId)
        .some((one = '') => (text instanceof RegExp ? text.test(one) : one === text)),
    )
  }

  function message(text: RegExp) {
    return setup.playground
      .transcript(chatId)
      .find((one) => one.from === 'bot' && text.test(one.rich?.markdown ?? one.text ?? ''))
  }

  async function allEnded(count: number): Promise<void> {
    await flow(ended(setup, count))
  }

  async function pressAt(given: { messageId: number; data: string; userId?: number }) {
    const id = setup.playground.presses({ userId: ANNA, chatId, ...given })
    await flowUntil(() => setup.playground.pressed(id)?.answer !== undefined)
    return setup.playground.pressed(id)?.answer?.text
  }

  async function flowUntil(look: () => boolean): Promise<void> {
    await until(async () => {
      clock.advance(FLOW_MS)
      return look()
    })
  }

  async function flow<T>(promise: Promise<T>, flowMsMax = Number.POSITIVE_INFINITY): Promise<T> {
    let flowedMs = 0
    const flowing = setInterval(() => {
      if (flowedMs + FLOW_MS > flowMsMax) return
      flowedMs += FLOW_MS
      clock.advance(FLOW_MS)
    }, 1)
    return promise.finally(() => clearInterval(flowing))
  }
}

/** Answers with one delta. */
function finish(completion: OpenCompletion, text: string): void {
  completion.delta(text)
  completion.finish()
}

/** Lists the texts that went out by a method of Telegram's. */
function texts({ playground }: BotSetup, method: string): string[] {
  return playground.calls
    .filter((call) => call.method === method)
    .map(({ params }) => params.text ?? '')
}
