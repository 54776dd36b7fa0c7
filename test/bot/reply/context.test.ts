import { expect, test } from 'vitest'
import type { OpenCompletion } from '../chat-service.ts'
import { ANNA, createHouse, type House } from '../house.ts'
import { labels, press } from './buttons.ts'
import { ended, turns, until } from './ended.ts'
import { standDown } from './standing-down.ts'

/** About 180 tokens. */
const LONG = 'word '.repeat(200).trim()
const SETTINGS = { maxTokens: 200 }

test('from 80 % on the user is told once, under the reply', async () => {
  const house = await createHouse({ contextTokens: 1000 })
  await house.startBot(SETTINGS)
  house.service.onCompletion(short)

  for (const text of [LONG, LONG, LONG, LONG, 'short', 'shorter']) await say(house, text)

  const told = house.said(ANNA).map((text) => /fills (\d+) %/.exec(text ?? '')?.[1])
  expect(told.filter((percent) => percent !== undefined)).toHaveLength(1)
  expect(told.slice(0, 3)).toEqual([undefined, undefined, undefined])
  expect(house.service.completions).toHaveLength(6)
})

test('a conversation that does not fit is never cut silently: its user may begin a new one', async () => {
  const house = await createHouse({ contextTokens: 1000 })
  await house.startBot(SETTINGS)
  house.service.onCompletion(short)
  await fill(house)
  const [question] = house.said(ANNA).slice(-1)
  const asked = house.service.completions.length

  expect(question).toContain('longer than the model can read')
  expect(labels(house, ANNA)).toEqual([
    ['New conversation with this message', 'Go on without the oldest part'],
  ])
  await press(house, 'New conversation with this message')
  await until(async () => house.service.completions.length === asked + 1)
  await ended(house, (await turns(house)).length)

  expect(house.service.completions.at(-1)?.request.messages).toHaveLength(1)
  expect(house.said(ANNA)).not.toContain(question)
  expect(labels(house, ANNA)).toEqual([])
  expect(await house.database.prisma.conversation.count()).toBe(2)
})

test('without its oldest part it goes on, and what was left out stays out', async () => {
  const house = await createHouse({ contextTokens: 1000 })
  await house.startBot(SETTINGS)
  house.service.onCompletion(short)
  await fill(house)
  const held = (await turns(house)).length

  await press(house, 'Go on without the oldest part')
  await until(async () => (await turns(house)).length === held + 1)
  await ended(house, held + 1)
  await say(house, 'and then?')

  const [last, next] = house.service.completions.slice(-2).map(({ request }) => request.messages)
  expect(last?.[0]).toMatchObject({ role: 'user' })
  expect(last?.length).toBeGreaterThan(1)
  expect(last?.length).toBeLessThan(2 * held - 1)
  expect(next?.slice(0, last?.length)).toEqual(last)
  expect(await house.database.prisma.conversation.count()).toBe(1)
})

test('a message that alone is too long is refused in a sentence', async () => {
  const house = await createHouse({ contextTokens: 500 })
  await house.startBot(SETTINGS)

  await say(house, LONG.repeat(3))

  expect(house.said(ANNA)).toEqual([
    expect.stringMatching(/alone is longer than the model can read.*Nothing was charged/),
  ])
  expect(labels(house, ANNA)).toEqual([])
  expect(house.service.completions).toEqual([])
})

test('a crash before the question was shown: it is asked once', async () => {
  const house = await createHouse({ contextTokens: 1000 })
  const first = await house.startBot(SETTINGS)
  house.service.onCompletion(short)
  for (let count = 0; count < 4; count++) await say(house, LONG)
  const held = house.playground.fault({ kind: 'hold', method: 'sendRichMessage' })
  house.playground.userSends({ userId: ANNA, text: LONG })
  await house.playground.waitFor(() => held.hits === 1)
  first.kill()

  await house.startBot(SETTINGS)
  await ended(house, 5)

  expect(labels(house, ANNA)).toHaveLength(1)
  expect((await turns(house)).at(-1)).toMatchObject({ state: 'held', heldReason: 'too_long' })
})

test('a question that the database did not take is asked once it does', async () => {
  const house = await createHouse({ contextTokens: 1000 })
  const bot = await house.startBot(SETTINGS)
  house.service.onCompletion(short)
  for (let count = 0; count < 4; count++) await say(house, LONG)
  const standUp = await standDown(house)
  house.playground.userSends({ userId: ANNA, text: LONG })
  await until(async () => bot.logged().includes('trying again'))

  await standUp()
  await ended(house, 5)

  expect(labels(house, ANNA)).toHaveLength(1)
  expect((await turns(house)).at(-1)).toMatchObject({ state: 'held', heldReason: 'too_long' })
})

/** Says more until there is a question. */
async function fill(house: House): Promise<void> {
  for (let count = 0; labels(house, ANNA).length === 0; count++) {
    expect(count).toBeLessThan(6)
    await say(house, LONG)
  }
}

async function say(house: House, text: string): Promise<void> {
  const before = (await turns(house)).length
  house.playground.userSends({ userId: ANNA, text })
  await ended(house, before + 1)
}

function short(completion: OpenCompletion): void {
  completion.delta('Yes.')
  completion.finish()
}
