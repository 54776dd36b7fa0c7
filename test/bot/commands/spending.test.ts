import { expect, test } from 'vitest'
import { addCharge, takeBack } from '../spend/add-charge.ts'
import { ADMIN, addSpender, addTurn, database, setUp } from './commands-setup.ts'

test('/usage tells what its user has spent, and how much of it is an estimate', async () => {
  const { send, answerTo } = await setUp()
  const userId = await addSpender({ amountMicroRub: 1_230_000n, estimated: true })

  const answer = await answerTo(await send('/usage', { userId }))

  expect(answer).toBe(
    'You have spent\ntoday: ₽1.23\nthis month: ₽1.23\nin all: ₽1.23\n\n' +
      'Of this, ₽1.23 is an estimate: the service did not say what it really cost.',
  )
})

test('/usage of somebody new shows zeros', async () => {
  const { send, answerTo } = await setUp()

  expect(await answerTo(await send('/usage'))).toBe(
    'You have spent\ntoday: ₽0.00\nthis month: ₽0.00\nin all: ₽0.00',
  )
})

test('/usage tells how long the conversation is and what the next message costs', async () => {
  const { send, answerTo } = await setUp()
  const userId = await send('hello')
  await addTurn(userId, { prompt: 'Tell me', answer: 'word '.repeat(20_000) })

  const answer = await answerTo(await send('/usage', { userId }))

  // 100,000 characters of English are 18,000 tokens, at 150 roubles a million.
  expect(answer).toContain('about 18,013 tokens, 1 % of what alpha-large can read at once.')
  expect(answer).toContain('The next message here will cost about ₽2.70, plus the answer.')
})

test('/usage of a short conversation does not round its share to nothing', async () => {
  const { send, answerTo } = await setUp()
  const userId = await send('hello')
  await addTurn(userId, { prompt: 'Why?', answer: 'Because.' })

  expect(await answerTo(await send('/usage', { userId }))).toContain('tokens, less than 1 % of')
})

test('/usage tells what was spent also while the service is away', async () => {
  const { send, answerTo } = await setUp({ status: 500 })
  const userId = await send('hello')
  await addTurn(userId, { prompt: 'Tell me', answer: 'Yes.' })

  expect(await answerTo(await send('/usage', { userId }))).toMatch(/in all: ₽0\.00$/)
})

test.each([
  ['/costnote 2,50 ₽', '₽2.50 or more'],
  ['/costnote', '₽2.50 or more'],
  ['/costnote off', 'I do not tell'],
  ['/costnote 0', '₽0.00 or more'],
  ['/costnote -1', 'a price in roubles'],
  ['/costnote a lot', 'a price in roubles'],
])('"%s" is answered with "… %s"', async (text, said) => {
  const { send, answerTo } = await setUp()

  expect(await answerTo(await send(text, { userId: ADMIN }))).toContain(said)
})

test('/costnote is unknown to a user', async () => {
  const { send, answerTo } = await setUp()

  expect(await answerTo(await send('/costnote 1'))).toContain("I don't know this command")
})

test('/balance tells what is left, for how long, and whether the charges account for it', async () => {
  await database.prisma.charge.deleteMany()
  await database.prisma.spendDay.deleteMany()
  const { send, answerTo } = await setUp()
  const before = await answerTo(await send('/balance', { userId: ADMIN }))

  const after = await answerTo(await send('/balance', { userId: ADMIN }))

  expect(before).toContain(
    'The account has ₽1,234.50 left.\nNothing was spent in the last seven days.',
  )
  expect(after).toMatch(
    /^Since .+ the balance fell by ₽0\.000000, and users were charged ₽0\.000000\.\nThe difference is ₽0\.000000\.$/m,
  )
})

test('/spend shows what was written off in a line of its own, and users do not pay for it', async () => {
  await database.prisma.charge.deleteMany()
  const userId = await addSpender({ amountMicroRub: 40_000_000n, firstName: 'Vera' })
  const clip = {
    userId,
    amountMicroRub: 40_000_000n,
    kind: 'video',
    item: 'vidgen-720p-5s',
  } as const
  await takeBack(database.prisma, await addCharge(database.prisma, clip), { writtenOff: true })
  const { send, answerTo } = await setUp()

  const table = (await answerTo(await send('/spend', { userId: ADMIN }))) ?? ''

  expect(table.split('\n').slice(1)).toEqual([
    'Vera         ₽40.00  ₽40.00  ₽40.00',
    'Together     ₽40.00  ₽40.00  ₽40.00',
    'Written off  ₽40.00  ₽40.00  ₽40.00',
  ])
  expect(await answerTo(await send('/usage', { userId }))).toContain('in all: ₽40.00')
})

test('/spend shows an admin an aligned table, cut where a message ends', async () => {
  await database.prisma.charge.deleteMany()
  for (let index = 1; index <= 150; index++) {
    await addSpender({ amountMicroRub: BigInt(index) * 1_000_000n, firstName: `User\n${index}` })
  }
  const { send, answerTo, playground } = await setUp()

  const answer = (await answerTo(await send('/spend', { userId: ADMIN }))) ?? ''

  const [table = '', note] = answer.split('\n\n')
  const lines = table.split('\n')
  expect(answer.length).toBeLessThan(4096)
  expect(lines[1]).toMatch(/^User 150 {2,}₽150\.00 {2,}₽150\.00 {2,}₽150\.00$/)
  expect(lines.at(-1)).toContain('₽11,325.00')
  // The head may end in blanks that Telegram trims.
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1)
  expect(note).toBe(`${150 - (lines.length - 2)} more users spent less.`)
  const shown = playground.transcript(ADMIN).findLast(({ from }) => from === 'bot')
  expect(shown?.entities).toEqual([{ type: 'pre', offset: 0, length: table.length }])
})
