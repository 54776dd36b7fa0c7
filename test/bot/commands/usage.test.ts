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

test('/usage in a group shows what the group spent, and nothing of its users', async () => {
  const { send, playground, handleAll } = await setUp()
  const group = -71
  const userId = await addSpender({ amountMicroRub: 10_000_000n })
  await send('hello', { userId })
  playground.addGroup({ id: group, title: 'Friends', members: [userId] })
  for (const amountMicroRub of [2_000_000n, 1_000_000n]) {
    await addCharge(database.prisma, { userId, chatId: group, amountMicroRub })
  }

  playground.userSends({ userId, chatId: group, text: '/usage@kopeck_playground_bot' })
  await handleAll()

  const text = playground.transcript(group).at(-1)?.text
  expect(text).toMatch(/^This group’s spend\nToday: ₽3\.00\n(.|\n)*private chat\.$/)
  expect(text).not.toMatch(/10\.00|13\.00/)
})
