import { expect, test } from 'vitest'
import { Limits } from '../../../src/bot/spend/limits.ts'
import { pngOf } from '../../media-files.ts'
import { addCharge } from '../spend/add-charge.ts'
import {
  ADMIN,
  addSpender,
  addTurn,
  CALENDAR,
  database,
  setUp,
  useCommands,
} from './commands-setup.ts'

useCommands()

test('/usage shows what its user has spent on what, and how much of it is an estimate', async () => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1_230_000n, estimated: true })
  const video = { kind: 'video', item: 'vidgen-720p-5s' } as const
  await addCharge(database.prisma, { userId, amountMicroRub: 40_000_000n, ...video })

  const answer = await answerTo(await send('/usage', { userId }))

  expect(answer).toBe(
    'Your spend\nToday: ₽41.23\nIn total: ₽41.23\nThis month: ₽41.23\n\n' +
      'By kind\n₽40.00  \u2068videos\u2069\n ₽1.23  \u2068answers\u2069\n\n' +
      'By model\n' +
      '₽40.00  \u2068video 720p, 5 s\u2069\n ₽1.23  \u2068alpha-large\u2069\n\n' +
      'Of this, ₽1.23 is an estimate: what it really cost isn’t known.',
  )
})

test('/usage shows how much of the month was history that was sent again', async () => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1_000_000n })
  await addCharge(database.prisma, {
    userId,
    amountMicroRub: 2_000_000n,
    promptPriceMicroRub: 150_000_000n,
    promptTokens: 12_000,
    historyTokens: 10_000,
    completionTokens: 100,
  })

  expect(await answerTo(await send('/usage', { userId }))).toContain(
    'Of this, ₽1.50 (50%) went on re-sent history',
  )
})

test('/usage shows what is left of each limit, and when it resets', async () => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1_230_000n })
  const limits = new Limits({
    prisma: database.prisma,
    calendar: CALENDAR,
    adminIds: new Set<number>(),
  })
  const set = { subjectId: BigInt(userId), adminId: ADMIN }
  await limits.set({ ...set, period: 'day', amountMicroRub: 5_000_000n })
  await limits.set({ ...set, period: 'all', amountMicroRub: 1_000_000n })
  await limits.set({ ...set, period: 'week', amountMicroRub: null })

  const answer = (await answerTo(await send('/usage', { userId }))) ?? ''

  expect(answer).toMatch(/Limit of ₽5\.00 a day: ₽3\.77 left, resets on \d+ \w+ \d{4}, 00:00\n/)
  expect(answer).toMatch(/Limit of ₽1\.00 in total: ₽0\.00 left$/m)
  expect(answer).not.toContain('week')
})

test('/usage shows how long the conversation is and what the next message costs', async () => {
  const { send, answerTo } = await setUp()
  const userId = await send('hello')
  await addTurn(userId, { prompt: 'Tell me', answer: 'word '.repeat(20_000) })

  const answer = await answerTo(await send('/usage', { userId }))

  // 100,000 characters of English are 18,000 tokens, at 150 roubles a million.
  expect(answer).toContain('about 18,013 tokens long, 1% of what alpha-large can read at once.')
  expect(answer).toContain('The next message here: ≈\u00a0₽2.70 + the answer.')
})

test('/usage comes with its picture, as the caption', async () => {
  const { send, playground } = await setUp({ picture: pngOf({ width: 640, height: 480 }) })
  const userId = await addSpender({ amountMicroRub: 1_230_000n })

  await send('/usage', { userId })

  const answers = playground.transcript(userId).filter(({ from }) => from === 'bot')
  expect(answers).toHaveLength(1)
  expect(answers[0]).toMatchObject({ photo: {}, caption: expect.stringContaining('Today: ₽1.23') })
})

const NAME = '@kopeck_playground_bot'
let lastGroup = -70

async function setUpGroup({ started = true }: { started?: boolean } = {}) {
  const setup = await setUp()
  const { playground } = setup
  const group = --lastGroup
  const userId = await addSpender({ amountMicroRub: 10_000_000n })
  const other = await addSpender({ amountMicroRub: 500_000n })
  playground.addUser({ id: userId, firstName: 'Anna', languageCode: 'en', started })
  playground.addGroup({ id: group, title: 'Friends', members: [userId] })
  await addCharge(database.prisma, { userId, chatId: group, amountMicroRub: 2_000_000n })
  await addCharge(database.prisma, { userId: other, chatId: group, amountMicroRub: 1_000_000n })
  const ask = async (as?: 'group') => {
    const text = `/usage${NAME}`
    const { message_id } = playground.userSends({ userId, chatId: group, text, ...(as && { as }) })
    await setup.handleAll()
    return message_id
  }
  const answersIn = (chatId: number) =>
    playground.transcript(chatId).filter(({ from }) => from === 'bot')
  return { group, userId, ask, answersIn }
}

test('/usage in a group shows what the group spent, and its user privately what they spent', async () => {
  const { group, userId, ask, answersIn } = await setUpGroup()

  const asked = await ask()

  expect(answersIn(group)).toEqual([
    expect.objectContaining({
      replyToMessageId: asked,
      text: expect.stringMatching(/^This group’s spend\nToday: ₽3\.00\n(.|\n)*private chat\.$/),
    }),
  ])
  expect(answersIn(group)[0]?.text).not.toMatch(/10\.00|12\.00/)
  expect(answersIn(userId)).toEqual([
    expect.objectContaining({ text: expect.stringMatching(/^Your spend\nToday: ₽12\.00\n/) }),
  ])
})

test('/usage in a group says so where its user never wrote to the bot privately', async () => {
  const { group, userId, ask, answersIn } = await setUpGroup({ started: false })

  await ask()

  expect(answersIn(group).at(-1)?.text).toContain('press Start and send /usage there')
  expect(answersIn(userId)).toEqual([])
})
