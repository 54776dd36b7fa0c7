import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../platform/time/manual-clock.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { ended, turns, until } from '../turns/ended.ts'

const WORDS = 'The quick brown fox jumps over the lazy dog. '

describe('one message', () => {
  test('grows into its answer and ends with the whole text', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    const completion = await setup.service.next()
    await setup.playground.waitFor((it) => it.visibleAction(ANNA) === 'typing')

    completion.delta('One')
    await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === 'One')
    completion.delta(' two')
    completion.delta(' three')
    await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === 'One two three')
    completion.delta(' four.')
    completion.finish({ costRub: 0.0123 })
    await ended(setup)

    expect(setup.textsIn(ANNA)).toEqual(['One two three four.'])
    expect(completion.request).toEqual({
      model: 'alpha',
      messages: [{ role: 'user', content: 'Hello?' }],
      max_tokens: 1000,
      stream: true,
    })
    expect(await turns(setup)).toMatchObject([
      {
        state: 'finished',
        messages: [{ content: 'Hello?' }, { content: 'One two three four.', completionTokens: 20 }],
        charge: [
          {
            amountMicroRub: 12_300n,
            estimated: false,
            item: 'alpha',
            userId: 101n,
            chatId: 101n,
            kind: 'answer',
            request: 1,
            requestId: 'req',
            promptTokens: 10,
            historyTokens: 0,
            completionTokens: 20,
            promptPriceMicroRub: 150_000_000n,
            completionPriceMicroRub: 600_000_000n,
          },
        ],
      },
    ])
  })

  test('says that the model thinks, and for how long, in the message that its answer then has', async () => {
    const clock = createManualClock()
    const setup = await createBotSetup({ clock })
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'Why?' })
    const completion = await setup.service.next()
    const shown = () => setup.textsIn(ANNA)[0]

    const seen = new Set<string | undefined>()
    await until(async () => {
      clock.advance(500)
      completion.think()
      seen.add(shown())
      return shown() === 'Thinking, 8 s…'
    })
    completion.answer('Because.')
    await until(async () => {
      clock.advance(50)
      return shown() === 'Because.'
    })
    await ended(setup)

    expect([...seen]).toEqual([undefined, 'Thinking, 3 s…', 'Thinking, 8 s…'])
    expect(setup.textsIn(ANNA)).toEqual(['Because.'])
    expect(await turns(setup)).toMatchObject([{ messages: [{}, { content: 'Because.' }] }])
  })

  test('is edited at most once a second, however fast the deltas come', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'Count' })
    const completion = await setup.service.next()
    const startedAt = Date.now()
    for (let count = 0; count < 400; count++) completion.delta(`${count} `)
    await setup.playground.waitFor(() => edits(setup).length >= 1)
    for (let count = 400; count < 700; count++) completion.delta(`${count} `)
    completion.finish()
    await ended(setup)

    const seconds = (Date.now() - startedAt) / 1000
    expect(edits(setup).length).toBeLessThanOrEqual(seconds + 2)
    expect(setup.textsIn(ANNA)[0]).toMatch(/^0 1 2 .* 698 699$/)
    expect(setup.playground.calls.filter(({ status }) => status === 429)).toEqual([])
  })

  test('goes on in further messages where one is full', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'A long story' })
    const completion = await setup.service.next()
    const paragraphs = Array.from(
      { length: 12 },
      (_, index) => `Part ${index}: ${WORDS.repeat(22).trim()}`,
    )

    for (const paragraph of paragraphs) completion.delta(`${paragraph}\n\n`)
    completion.finish()
    await ended(setup)

    const texts = setup.textsIn(ANNA)
    expect(texts.length).toBe(4)
    expect(texts.join('\n\n')).toBe(paragraphs.join('\n\n'))
    const [turn] = await turns(setup)
    expect(turn?.messageIds).toHaveLength(4)
  })

  test('gets a sentence when the model has nothing to say', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await setup.service.next()
    completion.answer(' \n')
    await ended(setup)

    expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('empty answer')])
  })

  test('says when the answer reached its length limit', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: BORIS, text: '?' })
    const completion = await setup.service.next()
    completion.delta('Длинный')
    completion.finish({ finishReason: 'length' })
    await ended(setup)

    expect(setup.textsIn(BORIS)).toEqual([
      expect.stringMatching(/^Длинный\n\n\(Ответ достиг предела/),
    ])
  })
})

describe('a conversation', () => {
  test('is sent whole, after the system prompt and without failed turns', async () => {
    const setup = await createBotSetup()
    await setup.startBot({ systemPrompt: 'Be brief.' })
    setup.service.onCompletion((completion) => {
      if (completion.prompt === 'bad') return completion.refuse(422)
      completion.answer(`Answer to ${completion.prompt}`)
    })

    for (const text of ['one', 'bad', 'two']) setup.playground.userSends({ userId: ANNA, text })
    await ended(setup, 3)

    expect(setup.service.completions.at(-1)?.request.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'Answer to one' },
      { role: 'user', content: 'two' },
    ])
  })

  test('keeps its turns in order, while other chats go on', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'first' })
    const first = await setup.service.next()
    setup.playground.userSends({ userId: ANNA, text: 'second' })
    setup.playground.userSends({ userId: BORIS, text: 'other' })
    const other = await setup.service.next()
    expect(other.prompt).toBe('other')
    other.answer('Other.')
    await setup.playground.waitFor(() => setup.textsIn(BORIS)[0] === 'Other.')
    expect(setup.service.completions).toHaveLength(2)

    first.answer('First.')
    const second = await setup.service.next()
    second.answer('Second.')
    await ended(setup, 3)

    expect(setup.textsIn(ANNA)).toEqual(['First.', 'Second.'])
  })
})

describe('flood control and a failing network', () => {
  test('a stream is read to its end, and charged, while Telegram is stuck', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    const stuck = setup.playground.fault({ kind: 'hold', method: 'sendMessage' })
    setup.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await setup.service.next()
    for (let count = 0; count < 300; count++) completion.delta(`${WORDS}\n`)
    completion.finish()

    await until(async () => (await turns(setup))[0]?.state === 'finished')
    expect((await turns(setup))[0]?.charge).toHaveLength(1)
    expect(setup.textsIn(ANNA)).toEqual([])
    stuck.release()
    await ended(setup)

    expect(
      setup
        .textsIn(ANNA)
        .join('\n')
        .match(/quick brown fox/g),
    ).toHaveLength(300)
  })

  test('a first message that may be there is not sent again until the whole text is, below a line that says so', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.fault({ kind: 'dropAfter', method: 'sendMessage' })
    setup.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await setup.service.next()
    completion.delta('Begin')
    await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === 'Begin')
    completion.answer('ning.')
    await ended(setup)

    const [first, second, ...rest] = setup.textsIn(ANNA)
    expect(first).toBe('Begin')
    expect(second).toMatch(/may already stand above.*\n\nBeginning\.$/)
    expect(rest).toEqual([])
  })

  test('a user who blocked the bot is charged and no trouble', async () => {
    const setup = await createBotSetup()
    const bot = await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await setup.service.next()
    setup.playground.blocks(ANNA)
    completion.answer('Hello')
    await ended(setup)

    expect((await turns(setup))[0]?.charge).toHaveLength(1)
    expect(bot.logged()).toContain('reply not wanted any more')
  })
})

describe('errors of the service', () => {
  test.each([
    { status: 402, says: /too little money.*Nothing was charged/ },
    { status: 401, says: /not set up right.*admins know.*Nothing was charged/ },
    { status: 403, says: /not set up right.*admins know.*Nothing was charged/ },
    { status: 422, says: /message isn’t accepted.*Nothing was charged/ },
    { status: 502, says: /provider refused.*Nothing was charged/ },
  ])('a $status is reported in plain words', async ({ status, says }) => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: '?' })
    const completion = await setup.service.next()
    completion.refuse(status)
    await ended(setup)

    expect(setup.textsIn(ANNA)).toEqual([expect.stringMatching(says)])
    expect(await turns(setup)).toMatchObject([{ state: 'failed', charge: [] }])
  })

  test.each(['fail', 'cut'] as const)(
    'a stream that breaks (%s) leaves its text, and its user pays for that',
    async (how) => {
      const setup = await createBotSetup()
      await setup.startBot()
      setup.playground.userSends({ userId: ANNA, text: 'Hello' })
      const completion = await setup.service.next()
      completion.delta('Half an ans')
      await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === 'Half an ans')
      if (how === 'fail') completion.fail('provider went away')
      else completion.cut()
      await ended(setup)

      expect(setup.textsIn(ANNA)).toEqual([
        expect.stringMatching(
          /^Half an ans\n\nThe connection to the model broke.*You pay for what you see: <₽0\.01\.$/,
        ),
      ])
      const [turn] = await turns(setup)
      expect(turn).toMatchObject({ state: 'failed', errorCode: 'stream_broken' })
      // The prompt and eleven letters, of an estimate of 60 kopecks.
      const [charge] = turn?.charge ?? []
      expect(charge).toMatchObject({ estimated: true, item: 'alpha' })
      expect(charge?.amountMicroRub).toBe(8n * 150n + 2n * 600n)
      expect((charge?.amountMicroRub ?? 0n) + (charge?.writtenOffMicroRub ?? 0n)).toBe(601_500n)
    },
  )

  test('an answer that never came may have been charged, and its user pays nothing', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'Hello' })
    const completion = await setup.service.next()
    completion.cut()
    await ended(setup)

    expect(setup.textsIn(ANNA)).toEqual([
      expect.stringMatching(/I don’t know whether.*Nothing was charged\.$/),
    ])
    expect((await turns(setup))[0]?.charge).toMatchObject([
      { estimated: true, amountMicroRub: 0n, writtenOffMicroRub: 601_500n },
    ])
  })
})

test('no line of the log holds what people wrote or models answered', async () => {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  setup.playground.fault({ kind: 'dropAfter', method: 'sendMessage' })
  setup.service.onCompletion((completion) => {
    completion.delta('classified answer')
    if (completion.prompt.includes('two')) completion.fail('classified detail')
    else completion.finish()
  })
  setup.playground.userSends({ userId: ANNA, text: 'classified one' })
  setup.playground.userSends({ userId: ANNA, text: 'classified two' })
  await ended(setup, 2)

  expect(bot.logged()).toContain('turn failed')
  expect(bot.logged()).not.toContain('classified')
  expect(bot.logged()).not.toContain(setup.playground.token)
})

function edits({ playground }: BotSetup) {
  return playground.calls.filter(({ method }) => method === 'editMessageText')
}
