import { expect, test } from 'vitest'
import type { LimitPeriod } from '../../../../src/platform/database/generated/enums.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import type { OpenCompletion } from '../../chat-service.ts'
import { ended, turns } from '../turns/ended.ts'
import { labels, press, pressUnheard } from './buttons.ts'

const GROUP = -5
const RUB = 1_000_000n

/** Every message here may cost 0.60 roubles, and costs 0.50. */
async function setLimit(
  { database }: BotSetup,
  subjectId: number,
  amountMicroRub: bigint,
  period: LimitPeriod = 'all',
): Promise<void> {
  const limit = { subjectId, period, amountMicroRub, setById: 1n }
  const where = { subjectId_period: { subjectId, period } }
  await database.prisma.spendLimit.upsert({ where, create: limit, update: limit })
}

function answer(completion: OpenCompletion, text: string): void {
  completion.answer(text)
}

async function reserved({ database }: BotSetup): Promise<bigint> {
  const ofSpenders = await database.prisma.spender.aggregate({ _sum: { reservedMicroRub: true } })
  const count = await database.prisma.reservation.count()
  const sum = ofSpenders._sum.reservedMicroRub ?? 0n
  expect(count > 0).toBe(sum > 0n)
  return sum
}

// Promise: A message or an order meets a limit
test('a message that a limit leaves no room for is not asked, says why, and Retry asks it when there is room', async () => {
  const setup = await createBotSetup()
  await setLimit(setup, ANNA, RUB, 'month')
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  answer(await setup.service.next(), 'One.')
  await ended(setup)

  setup.playground.userSends({ userId: ANNA, text: 'two' })
  await ended(setup, 2)

  expect(plain(setup.textsIn(ANNA)[1])).toMatch(
    /^Your limit of ₽1\.00 a month isn’t enough for this: ₽0\.50 is spent, and this may cost up to ₽0\.60\. Nothing was charged\.\nIt resets on 1 \w+ \d{4}, 00:00\.$/,
  )
  expect(labels(setup, ANNA)).toEqual([['Ask for a higher limit', 'Retry']])
  expect(setup.service.completions).toHaveLength(1)
  expect((await turns(setup))[1]).toMatchObject({
    state: 'failed',
    errorCode: 'limit_reached',
    requests: 0,
    charge: [],
  })
  expect(await reserved(setup)).toBe(0n)

  await setLimit(setup, ANNA, 2n * RUB, 'month')
  await pressUnheard(setup, 'Retry')
  answer(await setup.service.next(), 'Two.')
  await ended(setup, 3)

  expect(setup.textsIn(ANNA)[2]).toBe('Two.')
  expect(setup.service.completions[1]?.prompt).toBe('two')
  expect(await reserved(setup)).toBe(0n)
})

test('in a group the limit of the group holds for everybody, and is reported in the language of who asks', async () => {
  const setup = await createBotSetup()
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  setup.playground.setBotStatus(GROUP, 'administrator')
  await setLimit(setup, GROUP, RUB)
  await setup.startBot()
  const text = '@kopeck_playground_bot hello'
  setup.playground.userSends({ userId: ANNA, chatId: GROUP, text })
  answer(await setup.service.next(), 'Hello.')
  await ended(setup)

  setup.playground.userSends({ userId: BORIS, chatId: GROUP, text })
  await ended(setup, 2)

  expect(plain(setup.textsIn(GROUP)[1])).toBe(
    'Лимита этой группы (1,00\u00a0₽ всего) на это не хватает: потрачено 0,50\u00a0₽, ' +
      'а это может стоить до 0,60\u00a0₽. Ничего не списано.\n' +
      'Поднять лимит может только администратор.',
  )
})

test('what is under way counts: a message in another chat does not pass together with it', async () => {
  const setup = await createBotSetup()
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  setup.playground.setBotStatus(GROUP, 'administrator')
  await setLimit(setup, ANNA, RUB)
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()

  const text = '@kopeck_playground_bot two'
  setup.playground.userSends({ userId: ANNA, chatId: GROUP, text })
  await expect
    .poll(() => setup.textsIn(GROUP)[0])
    .toContain('₽0.00 is spent, ₽0.60 is in progress, and this may cost up to ₽0.60')
  expect(await reserved(setup)).toBeGreaterThan(0n)
  answer(first, 'One.')
  await ended(setup, 2)

  expect(await reserved(setup)).toBe(0n)
})

test.each([
  ['refused by the service', (completion: OpenCompletion) => completion.refuse(422)],
  ['broken in the middle', breakOff],
  ['answered', (completion: OpenCompletion) => answer(completion, 'Yes.')],
])('nothing stays reserved for a message that was %s', async (_how, end) => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await setup.service.next()
  expect(await reserved(setup)).toBe(601_800n)

  end(completion)
  await ended(setup)

  expect(await reserved(setup)).toBe(0n)
})

test('a stopped answer stays reserved until what it cost is known', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  const completion = await setup.service.next()
  completion.delta('Half')
  await press(setup, 'Stop')
  await setup.playground.waitFor(() => labels(setup, ANNA).flat().includes('Retry'))
  expect(await reserved(setup)).toBe(601_800n)

  completion.finish({ costRub: 0.25 })
  await ended(setup)

  expect(await reserved(setup)).toBe(0n)
})

// Promise: A process dies with money reserved
test.each([
  ['had shown nothing', undefined],
  ['was in the middle of it', 'Half'],
])(
  'what was reserved by a process that died and %s ends with the next run',
  async (_how, shown) => {
    const setup = await createBotSetup()
    const first = await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    const completion = await setup.service.next()
    if (shown !== undefined) {
      completion.delta(shown)
      await setup.playground.waitFor(() => setup.textsIn(ANNA).length > 0)
      await expect.poll(async () => (await turns(setup))[0]?.shownText).toBe(shown)
    }
    await first.kill()
    expect(await reserved(setup)).toBe(601_800n)

    await setup.startBot()
    if (shown === undefined) answer(await setup.service.next(), 'Hello!')
    await ended(setup)

    expect(await reserved(setup)).toBe(0n)
  },
)

// Promise: The service's queue is long and a limit reached
test('nobody waits in the queue only to be refused, and who waits has reserved', async () => {
  const setup = await createBotSetup({ chatsPerMinute: 1 })
  const CARL = 103
  setup.playground.addUser({ id: CARL, firstName: 'Carl', languageCode: 'en' })
  await setLimit(setup, BORIS, RUB / 2n)
  await setLimit(setup, CARL, RUB)
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()

  setup.playground.userSends({ userId: CARL, text: 'two' })
  setup.playground.userSends({ userId: BORIS, text: 'three' })
  await expect.poll(() => setup.textsIn(BORIS)[0]).toContain('на это не хватает')
  await expect.poll(() => setup.database.prisma.reservation.count()).toBe(2)
  await press(setup, 'Stop', { userId: CARL })
  answer(first, 'One.')
  await ended(setup, 3)

  expect(setup.textsIn(CARL)[0]).toContain('Nothing was charged')
  expect(setup.service.completions).toHaveLength(1)
  expect(await reserved(setup)).toBe(0n)
})

function breakOff(completion: OpenCompletion): void {
  completion.delta('Half')
  completion.cut()
}

/** Removes the blanks that break a line of Markdown. */
function plain(markdown = ''): string {
  return markdown.replaceAll(/ +\n/g, '\n')
}
