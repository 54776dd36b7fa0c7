import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { labels, press } from './buttons.ts'
import { ended, turns, until } from './ended.ts'

/** A text of about 180 tokens. */
const HELD = { heldMicroRub: { not: null } }
const LONG = 'word '.repeat(200).trim()
const SETTINGS = { maxTokens: 200 }

test('a conversation that does not fit is never cut silently: its user may begin a new one', async () => {
  const setup = await createBotSetup({ contextTokens: 1000 })
  await setup.startBot(SETTINGS)
  setup.service.onCompletion(short)
  await fill(setup)
  const [question] = setup.textsIn(ANNA).slice(-1)
  const asked = setup.service.completions.length

  expect(question).toContain('longer than the model can read')
  expect(labels(setup, ANNA)).toEqual([
    ['New conversation with this message', 'Go on without the oldest messages'],
  ])
  await press(setup, 'New conversation with this message')
  await until(async () => setup.service.completions.length === asked + 1)
  await ended(setup, (await turns(setup)).length)

  expect(setup.service.completions.at(-1)?.request.messages).toHaveLength(1)
  expect(setup.textsIn(ANNA)).not.toContain(question)
  expect(labels(setup, ANNA)).toEqual([])
  expect(await setup.database.prisma.conversation.count()).toBe(2)
})

test('a conversation goes on without its oldest part, and what was left out stays out', async () => {
  const setup = await createBotSetup({ contextTokens: 1000 })
  await setup.startBot(SETTINGS)
  setup.service.onCompletion(short)
  await fill(setup)
  const held = (await turns(setup)).length

  await press(setup, 'Go on without the oldest messages')
  await until(async () => (await turns(setup)).length === held + 1)
  await ended(setup, held + 1)
  await say(setup, 'and then?')

  const [last, next] = setup.service.completions.slice(-2).map(({ request }) => request.messages)
  expect(last?.[0]).toMatchObject({ role: 'user' })
  expect(last?.length).toBeGreaterThan(1)
  expect(last?.length).toBeLessThan(2 * held - 1)
  expect(next?.slice(0, last?.length)).toEqual(last)
  expect(await setup.database.prisma.conversation.count()).toBe(1)
})

test.each([{ status: 422 }, { status: 413 }, { status: 502, code: 'context_length_exceeded' }])(
  'a conversation that the service refuses with $status although it seemed to fit is asked about too, for nothing',
  async ({ status, code }) => {
    const setup = await createBotSetup({ contextTokens: 100_000 })
    await setup.startBot(SETTINGS)
    setup.service.onCompletion((completion) => {
      if (completion.request.messages.length <= 4) short(completion)
      else
        completion.refuse(status, { detail: 'messages: must fit the context of the model', code })
    })

    for (const text of [LONG, LONG, LONG]) await say(setup, text)
    const [question] = setup.textsIn(ANNA).slice(-1)
    const offered = labels(setup, ANNA)
    const held = (await turns(setup)).at(-1)
    const reserved = await setup.database.prisma.turn.count({ where: HELD })
    await press(setup, 'Go on without the oldest messages')
    await ended(setup, 4)

    expect(question).toContain('longer than the model can read')
    expect(offered).toEqual([
      ['New conversation with this message', 'Go on without the oldest messages'],
    ])
    expect(held).toMatchObject({
      state: 'held',
      heldReason: 'conversation_too_long',
      requestMicroRub: null,
      charge: [],
    })
    expect(reserved).toBe(0)
    const asked = setup.service.completions.map(({ request }) => request.messages.length)
    expect(asked).toEqual([1, 3, 5, 3])
    expect(setup.textsIn(ANNA).at(-1)).toBe('Yes.')
  },
)

test('a message that alone is too long is refused in a sentence', async () => {
  const setup = await createBotSetup({ contextTokens: 500 })
  await setup.startBot(SETTINGS)

  await say(setup, LONG.repeat(3))

  expect(setup.textsIn(ANNA)).toEqual([
    expect.stringMatching(/alone is longer than the model can read.*Nothing was charged/),
  ])
  expect(labels(setup, ANNA)).toEqual([])
  expect(setup.service.completions).toEqual([])
})

test('a first message that the provider cannot read is refused in a sentence, for nothing', async () => {
  const setup = await createBotSetup({ contextTokens: 100_000 })
  await setup.startBot(SETTINGS)
  setup.service.onCompletion((completion) =>
    completion.refuse(502, { detail: 'too long', code: 'context_length_exceeded' }),
  )

  await say(setup, LONG)

  expect(setup.textsIn(ANNA)).toEqual([
    expect.stringMatching(/alone is longer than the model can read.*Nothing was charged/),
  ])
  expect(labels(setup, ANNA)).toEqual([['Retry']])
  expect(await setup.database.prisma.turn.count({ where: HELD })).toBe(0)
})

async function fill(setup: BotSetup): Promise<void> {
  for (let count = 0; labels(setup, ANNA).length === 0; count++) {
    expect(count).toBeLessThan(6)
    await say(setup, LONG)
  }
}

async function say(setup: BotSetup, text: string): Promise<void> {
  const before = (await turns(setup)).length
  setup.playground.userSends({ userId: ANNA, text })
  await ended(setup, before + 1)
}

function short(completion: OpenCompletion): void {
  completion.answer('Yes.')
}
