import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { ANNA, createBotSetup, shareBot } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { allLabels } from './buttons.ts'
import { ended, turns, until } from './ended.ts'

const WORDS = 'The quick brown fox jumps over the lazy dog. '

/** What is held for a "Hello"; the system prompt and "Hello" are taken for 14 tokens if it ends without usage. */
const HELD_MICRO_RUB = 602_700n
const PROMPT_MICRO_RUB = 14n * 150n

const addUser = shareBot({ settings: { systemPrompt: 'Be brief.' } })

/** Asks a question as a new user. */
async function ask(text = '?') {
  const user = addUser()
  const { playground, service, userId, textsIn } = user
  playground.userSends({ userId, text })
  return {
    ...user,
    completion: await service.next(),
    texts: () => textsIn(userId),
    turns: () => turns(user, userId),
    ended: (count = 1) => ended(user, count, userId),
  }
}

describe('one message', () => {
  test('grows into its answer and ends with the whole text, after the system prompt', async () => {
    const { playground, userId, completion, texts, ...asked } = await ask('Hello?')
    await playground.waitFor((it) => it.visibleAction(userId) === 'typing')

    completion.delta('One')
    await playground.waitFor(() => texts()[0] === 'One')
    completion.delta(' two')
    completion.delta(' three')
    await playground.waitFor(() => texts()[0] === 'One two three')
    completion.delta(' four.')
    completion.finish({ costRub: 0.0123 })
    await asked.ended()

    expect(texts()).toEqual(['One two three four.'])
    expect(completion.request).toEqual({
      model: 'alpha',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello?' },
      ],
      max_tokens: 1000,
      stream: true,
    })
    expect(await asked.turns()).toMatchObject([
      {
        state: 'finished',
        messages: [{ content: 'Hello?' }, { content: 'One two three four.', completionTokens: 20 }],
        charge: [
          {
            amountMicroRub: 12_300n,
            estimated: false,
            item: 'alpha',
            userId: BigInt(userId),
            chatId: BigInt(userId),
            kind: 'answer',
            requestId: 'req',
            promptTokens: 10,
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
    const { playground, userId, completion, texts, ...asked } = await ask('Count')
    const calls = () => playground.calls.filter(({ chatId }) => chatId === userId)
    const edits = () => calls().filter(({ method }) => method === 'editMessageText')
    const startedAt = Date.now()
    for (let count = 0; count < 400; count++) completion.delta(`${count} `)
    await playground.waitFor(() => edits().length >= 1)
    for (let count = 400; count < 700; count++) completion.delta(`${count} `)
    completion.finish()
    await asked.ended()

    const seconds = (Date.now() - startedAt) / 1000
    expect(edits().length).toBeLessThanOrEqual(seconds + 2)
    expect(texts()[0]).toMatch(/^0 1 2 .* 698 699$/)
    expect(calls().filter(({ status }) => status === 429)).toEqual([])
  })

  test('goes on in further messages where one is full', async () => {
    const { completion, texts, ...asked } = await ask('A long story')
    const paragraphs = Array.from(
      { length: 12 },
      (_, index) => `Part ${index}: ${WORDS.repeat(22).trim()}`,
    )

    for (const paragraph of paragraphs) completion.delta(`${paragraph}\n\n`)
    completion.finish()
    await asked.ended()

    expect(texts().length).toBe(4)
    expect(texts().join('\n\n')).toBe(paragraphs.join('\n\n'))
  })

  test('gets a sentence when the model has nothing to say', async () => {
    const { completion, texts, ...asked } = await ask()
    completion.answer(' \n')
    await asked.ended()

    expect(texts()).toEqual([expect.stringContaining('empty answer')])
    expect(allLabels(asked, asked.userId)).toEqual([[expect.stringMatching(/^↻ Again/)]])
    asked.playground.userSends({ userId: asked.userId, text: 'And now?' })
    const next = await asked.service.next()
    expect(next.request.messages.slice(1)).toEqual([{ role: 'user', content: 'And now?' }])
    next.answer('Yes.')
    await asked.ended(2)
  })

  test('gets another sentence when the model spent all its tokens on thinking', async () => {
    const { completion, texts, ...asked } = await ask()
    completion.think()
    completion.finish({ finishReason: 'length' })
    await asked.ended()

    expect(texts()).toEqual([expect.stringContaining('all its tokens for thinking')])
    expect(allLabels(asked, asked.userId)).toEqual([[expect.stringMatching(/^↻ Again/)]])
  })

  test('says when the answer reached its length limit', async () => {
    const { completion, texts, ...asked } = await ask()
    completion.delta('Long')
    completion.finish({ finishReason: 'length' })
    await asked.ended()

    expect(texts()).toEqual([expect.stringMatching(/^Long\n\n\(The answer reached/)])
  })
})

describe('a conversation', () => {
  test('is sent whole, without failed turns', async () => {
    const { playground, service, userId, completion, ...asked } = await ask('one')
    completion.answer('One.')
    playground.userSends({ userId, text: 'bad' })
    ;(await service.next()).refuse(422)
    playground.userSends({ userId, text: 'two' })
    const last = await service.next()
    last.answer('Two.')
    await asked.ended(3)

    expect(last.request.messages.slice(1)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'two' },
    ])
  })

  test('keeps its turns in order, while other chats go on', async () => {
    const { playground, service, userId, completion, texts, ...asked } = await ask('first')
    playground.userSends({ userId, text: 'second' })
    const other = await ask('other')
    expect(other.completion.prompt).toBe('other')
    other.completion.answer('Other.')
    await playground.waitFor(() => other.texts()[0] === 'Other.')

    completion.answer('First.')
    const second = await service.next()
    expect(second.prompt).toBe('second')
    second.answer('Second.')
    await asked.ended(2)

    expect(texts()).toEqual(['First.', 'Second.'])
  })
})

describe('a failing network', () => {
  test('a stream is read to its end, and charged, while Telegram is stuck', async () => {
    const user = addUser()
    const { playground, service, userId, textsIn } = user
    const stuck = playground.fault({
      kind: 'hold',
      method: 'sendMessage',
      when: ({ chat_id }) => chat_id === String(userId),
    })
    playground.userSends({ userId, text: '?' })
    const completion = await service.next()
    for (let count = 0; count < 300; count++) completion.delta(`${WORDS}\n`)
    completion.finish()

    await until(async () => (await turns(user, userId))[0]?.state === 'finished')
    expect((await turns(user, userId))[0]?.charge).toHaveLength(1)
    expect(textsIn(userId)).toEqual([])
    stuck.release()
    await ended(user, 1, userId)

    expect(
      textsIn(userId)
        .join('\n')
        .match(/quick brown fox/g),
    ).toHaveLength(300)
  })

  test('a first message that may be there is not sent again until the whole text is, below a line that says so', async () => {
    const { playground, completion, texts, ...asked } = await ask()
    playground.fault({ kind: 'dropAfter', method: 'sendMessage' })
    completion.delta('Begin')
    await playground.waitFor(() => texts()[0] === 'Begin')
    completion.answer('ning.')
    await asked.ended()

    const [first, second, ...rest] = texts()
    expect(first).toBe('Begin')
    expect(second).toMatch(/may already stand above.*\n\nBeginning\.$/)
    expect(rest).toEqual([])
  })

  test('a user who blocked the bot is charged and no trouble', async () => {
    const { bot, playground, userId, completion, ...asked } = await ask()
    playground.blocks(userId)
    completion.answer('Hello')
    await asked.ended()

    expect((await asked.turns())[0]?.charge).toHaveLength(1)
    expect(bot.logged()).toContain('reply not wanted any more')
  })
})

describe('an error of the service', () => {
  test.each([
    { status: 402, says: /too little money.*Nothing was charged/ },
    { status: 401, says: /not set up right.*admins know.*Nothing was charged/ },
    { status: 422, says: /message isn’t accepted.*Nothing was charged/ },
    { status: 502, says: /provider refused.*Nothing was charged/ },
  ])('$status is reported in plain words', async ({ status, says }) => {
    const { completion, texts, ...asked } = await ask()
    completion.refuse(status)
    await asked.ended()

    expect(texts()).toEqual([expect.stringMatching(says)])
    expect(await asked.turns()).toMatchObject([{ state: 'failed', charge: [] }])
  })

  test.each([
    ['an error', (completion: OpenCompletion) => completion.fail('provider went away')],
    ['a cut', (completion: OpenCompletion) => completion.cut()],
  ])('in a stream (%s) leaves its text, and its user pays for that', async (_how, breakOff) => {
    const { playground, completion, texts, ...asked } = await ask('Hello')
    completion.delta('Half an ans')
    await playground.waitFor(() => texts()[0] === 'Half an ans')
    breakOff(completion)
    await asked.ended()

    expect(texts()).toEqual([
      expect.stringMatching(
        /^Half an ans\n\nThe connection to the model broke.*You pay for what you see: <₽0\.01\.$/,
      ),
    ])
    const [turn] = await asked.turns()
    expect(turn).toMatchObject({ state: 'failed', errorCode: 'stream_broken' })
    const [charge] = turn?.charge ?? []
    expect(charge).toMatchObject({ estimated: true, item: 'alpha' })
    expect(charge?.amountMicroRub).toBe(PROMPT_MICRO_RUB + 2n * 600n)
    expect((charge?.amountMicroRub ?? 0n) + (charge?.writtenOffMicroRub ?? 0n)).toBe(HELD_MICRO_RUB)
  })

  test('an answer that never came may have been charged, and its user pays nothing', async () => {
    const { completion, texts, ...asked } = await ask('Hello')
    completion.cut()
    await asked.ended()

    expect(texts()).toEqual([expect.stringMatching(/I don’t know whether.*Nothing was charged\.$/)])
    expect((await asked.turns())[0]?.charge).toMatchObject([
      { estimated: true, amountMicroRub: 0n, writtenOffMicroRub: HELD_MICRO_RUB },
    ])
  })
})

test('no line of the log holds what people wrote or models answered', async () => {
  const { bot, playground, service, userId, completion, ...asked } = await ask('classified one')
  completion.answer('classified answer')
  playground.userSends({ userId, text: 'classified two' })
  const second = await service.next()
  second.delta('classified answer')
  second.fail('classified detail')
  await asked.ended(2)

  expect(bot.logged()).toContain('turn failed')
  expect(bot.logged()).not.toContain('classified')
  expect(bot.logged()).not.toContain(playground.token)
})
