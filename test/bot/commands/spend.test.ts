import { beforeEach, expect, test } from 'vitest'
import { pngOf } from '../../media-files.ts'
import { addCharge, takeBack } from '../spend/add-charge.ts'
import {
  ADMIN,
  addSpender,
  buttonsOf,
  database,
  setUp,
  useCommands,
  VIEWER,
} from './commands-setup.ts'

useCommands()

const RUB = 1_000_000n

beforeEach(async () => {
  const { prisma } = database
  await prisma.charge.deleteMany()
  await prisma.spendDay.deleteMany()
})

test('/spend shows who spent most this month, all others, and each kind; the lines add up', async () => {
  for (let index = 1; index <= 22; index++) {
    await addSpender({ amountMicroRub: BigInt(index) * RUB + 4_000n, firstName: `User\n${index}` })
  }
  const { send, answerTo } = await setUp()

  const answer = (await answerTo(await send('/spend', { userId: ADMIN }))) ?? ''

  const [head = '', users = ''] = plain(answer).split('\n\n')
  expect(head).toMatch(/^This month, .+\n₽253\.09 in total, 22 charges$/)
  const lines = users.split('\n')
  expect(lines.slice(0, 3)).toEqual(['By user', '₽22.01  User 22', '₽21.01  User 21'])
  expect(lines).toHaveLength(22)
  expect(lines.at(-1)).toBe(' ₽3.01  2 other users')
  expect(addUp(lines)).toBe(25_309)
})

test('/spend shows what is an estimate, what was history, and what was written off', async () => {
  const userId = await addSpender({ amountMicroRub: 80n * RUB, estimated: true })
  const lost = await addCharge(database.prisma, {
    userId,
    amountMicroRub: 40n * RUB,
    kind: 'video',
  })
  await takeBack(database.prisma, lost, { writtenOff: true })
  await addCharge(database.prisma, {
    userId,
    amountMicroRub: 20n * RUB,
    promptPriceMicroRub: 150n * RUB,
    promptTokens: 100_000,
    historyTokens: 100_000,
  })
  const { send, answerTo } = await setUp()

  const answer = plain((await answerTo(await send('/spend', { userId: ADMIN }))) ?? '')

  expect(answer).toContain('₽100.00 in total, 3 charges')
  expect(answer.split('\n\n')[1]?.split('\n')).toEqual([
    'Of this, ₽80.00 is an estimate: what it really cost isn’t known.',
    expect.stringMatching(/^Of this, ₽15\.00 \(15%\) went on re-sent history/),
    'On top of this, ₽40.00 is written off: the service kept it, and no user pays for it.',
  ])
})

test('buttons show another span in the same message', async () => {
  await addSpender({ amountMicroRub: RUB, firstName: 'User' })
  const { send, press, answerTo, playground } = await setUp()
  await send('/spend', { userId: ADMIN })
  const messages = playground.transcript(ADMIN).length

  await press(ADMIN, 'Today')

  expect(await answerTo(ADMIN)).toMatch(/^Today, .+\n₽1\.00 in total/)
  expect(playground.transcript(ADMIN)).toHaveLength(messages)
  expect(buttonsOf(playground.transcript(ADMIN).at(-1))[0]).toContain('• Today')
})

test('/spend with an id shows models and limits of a user', async () => {
  const { prisma } = database
  const userId = await addSpender({ amountMicroRub: 3n * RUB, firstName: 'Vera' })
  for (let day = 1; day <= 10; day++) {
    const at = new Date(Date.now() - day * 86_400_000)
    await addCharge(prisma, { userId, amountMicroRub: RUB, item: `model-${day}`, at })
  }
  const { send, press, answerTo } = await setUp()
  await send(`/limit ${userId} 20 all`, { userId: ADMIN })
  await send(`/spend ${userId}`, { userId: ADMIN })

  await press(ADMIN, '30 days')

  const answer = plain((await answerTo(ADMIN)) ?? '')
  const tableOf = (heading: string) =>
    answer
      .split('\n\n')
      .find((one) => one.startsWith(heading))
      ?.split('\n')
      .slice(1) ?? []
  expect(answer).toContain('₽13.00 in total, 11 charges')
  expect(tableOf('By model')).toHaveLength(11)
  expect(addUp(tableOf('By model'))).toBe(1_300)
  expect(answer).toContain('Limit of ₽20.00 in total: ₽7.00 left')
})

test('/spend with a name shows the one who fits, or lists all who do', async () => {
  await addSpender({ amountMicroRub: RUB, firstName: 'Zoya Ivanova' })
  await addSpender({ amountMicroRub: 2n * RUB, firstName: 'Zoya Petrova' })
  const { send, answerTo } = await setUp()
  const asked = async (text: string) =>
    plain((await answerTo(await send(text, { userId: ADMIN }))) ?? '')

  expect(await asked('/spend zoya petr')).toMatch(/^Zoya Petrova, id \d+\n/)
  expect(await asked('/spend ZOYA')).toMatch(
    /^2 users match “ZOYA”\. Send \/spend with an id:\nZoya Petrova, id \d+\nZoya Ivanova, id \d+$/,
  )
  expect(await asked('/spend nobody here')).toContain('Nobody matches “nobody here”')
})

test('/spend csv sends every charge of a span as a file', async () => {
  const userId = await addSpender({ amountMicroRub: 1_500_000n, firstName: '=cmd' })
  await addCharge(database.prisma, { userId, amountMicroRub: 7n, at: '2020-01-01T10:00Z' })
  const { send, fileTo } = await setUp()

  await send('/spend csv all', { userId: ADMIN })
  const all = await fileTo(ADMIN)
  await send('/spend csv today', { userId: ADMIN })
  const today = await fileTo(ADMIN)

  expect(all.fileName).toMatch(/^spend-\d{4}-\d\d-\d\d\.csv$/)
  expect(all.text.split('\r\n')).toHaveLength(4)
  expect(all.text).toContain(',0.000007,')
  expect(today.text.split('\r\n')).toHaveLength(3)
  expect(today.text).toContain(`,${userId},'=cmd,,${userId},answer,alpha-large,`)
})

/** Removes the marks that keep a name's direction to itself. */
function plain(text: string): string {
  return text.replaceAll(/[\u2068\u2069]/g, '')
}

function addUp(lines: readonly string[]): number {
  return lines
    .map((line) =>
      Number(/₽([\d,]+)\.(\d\d) /.exec(line)?.slice(1).join('').replaceAll(',', '') ?? 0),
    )
    .reduce((sum, kopecks) => sum + kopecks, 0)
}

test('/spend draws the last 30 days at a press, and says where it cannot', async () => {
  const drawn = await setUp({ picture: pngOf({ width: 640, height: 480 }) })
  await drawn.send('/spend', { userId: VIEWER })
  await drawn.press(VIEWER, 'Chart')
  expect(drawn.playground.transcript(VIEWER).at(-1)).toMatchObject({
    photo: {},
    caption: 'All spend, last 30 days',
  })

  const failed = await setUp()
  await failed.send('/spend', { userId: VIEWER })
  await failed.press(VIEWER, 'Chart')
  expect(await failed.answerTo(VIEWER)).toContain('couldn’t draw the chart')
})
