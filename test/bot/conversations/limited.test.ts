import { expect, test } from 'vitest'
import type { LimitPeriod } from '../../../src/platform/database/generated/enums.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { labels, press, pressUnheard } from './buttons.ts'
import { ended, turns } from './ended.ts'

const GROUP = -5
const RUB = 1_000_000n

/** Every message here may cost 0.60 roubles, costs 0.50, and needs 0.08. */
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
  const { _sum } = await database.prisma.turn.aggregate({ _sum: { heldMicroRub: true } })
  return _sum.heldMicroRub ?? 0n
}

test('a message that a limit leaves no room for is not asked, says why, and Retry asks it when there is room', async () => {
  const setup = await createBotSetup()
  await setLimit(setup, ANNA, (55n * RUB) / 100n, 'month')
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  answer(await setup.service.next(), 'One.')
  await ended(setup)

  setup.playground.userSends({ userId: ANNA, text: 'two' })
  await ended(setup, 2)

  expect(plain(refusal(setup, ANNA))).toMatch(
    /^When you asked, ₽0\.05 of your limit of ₽0\.55 a month was left, and this needs ₽0\.08\. Nothing was charged\.\nIt resets on 1 \w+ \d{4}, 00:00\.$/,
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

  expect(setup.textsIn(ANNA).at(-1)).toBe('Two.')
  expect(setup.service.completions[1]?.prompt).toBe('two')
  expect(await reserved(setup)).toBe(0n)
})

test('a turn that a limit refuses does not wait in the queue', async () => {
  const setup = await createBotSetup({ chatsPerMinute: 1 })
  await setLimit(setup, BORIS, 0n)
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()

  setup.playground.userSends({ userId: BORIS, text: 'two' })
  await setup.playground.waitFor(() => labels(setup, BORIS).flat().includes('Повторить'))
  answer(first, 'One.')
  await ended(setup, 2)

  expect((await turns(setup))[1]).toMatchObject({ errorCode: 'limit_reached', requests: 0 })
  expect(setup.service.completions).toHaveLength(1)
})

test('in a group the limit of the group holds for everybody, and is reported in the language of who asks', async () => {
  const setup = await createBotSetup()
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  setup.playground.setBotStatus(GROUP, 'administrator')
  await setLimit(setup, GROUP, (55n * RUB) / 100n)
  await setup.startBot()
  const text = '@kopeck_playground_bot hello'
  setup.playground.userSends({ userId: ANNA, chatId: GROUP, text })
  answer(await setup.service.next(), 'Hello.')
  await ended(setup)

  setup.playground.userSends({ userId: BORIS, chatId: GROUP, text })
  await ended(setup, 2)

  expect(plain(refusal(setup, GROUP))).toBe(
    'На момент запроса оставалось 0,05\u00a0₽ из лимита этой группы (0,55\u00a0₽ всего), ' +
      'а на это нужно 0,08\u00a0₽. Ничего не списано.\n' +
      'Поднять лимит может только администратор.',
  )
})

test('an answer is asked for as long as the limit has room for, and one that is cut by that says so', async () => {
  const setup = await createBotSetup()
  await setLimit(setup, ANNA, (70n * RUB) / 100n, 'month')
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()
  answer(first, 'One.')
  await ended(setup)

  setup.playground.userSends({ userId: ANNA, text: 'two' })
  const second = await setup.service.next()
  second.delta('Two and')
  second.finish({ costRub: 0.2, finishReason: 'length' })
  await ended(setup, 2)

  expect(first.request.max_tokens).toBe(1000)
  // 0.20 roubles are left, and the prompt takes a little of it.
  expect(second.request.max_tokens).toBeGreaterThan(320)
  expect(second.request.max_tokens).toBeLessThan(334)
  expect(plain(setup.textsIn(ANNA)[1])).toMatch(
    /^Two and\s+\(The answer is cut short: your limit of ₽0\.70 a month leaves no room for more\. It resets on /,
  )
  expect(labels(setup, ANNA).flat()).toContain('Ask for a higher limit')
  expect(await reserved(setup)).toBe(0n)
})

test('what is under way counts: a message in another chat does not pass together with it', async () => {
  const setup = await createBotSetup()
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  setup.playground.setBotStatus(GROUP, 'administrator')
  await setLimit(setup, ANNA, (65n * RUB) / 100n)
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()

  const text = '@kopeck_playground_bot two'
  setup.playground.userSends({ userId: ANNA, chatId: GROUP, text })
  await expect
    .poll(() => setup.textsIn(GROUP)[0])
    .toMatch(
      /^When you asked, ₽0\.05 of your limit of ₽0\.65 .*was left, with ₽0\.60 in progress, and this needs ₽0\.08/,
    )
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

/** The last text of a chat that says what a limit leaves: after most of it was spent another one says so. */
function refusal(setup: BotSetup, chatId: number): string | undefined {
  return setup
    .textsIn(chatId)
    .findLast((text = '') => /^When you asked, ₽0\.05 of|^На момент/.test(text))
}

function breakOff(completion: OpenCompletion): void {
  completion.delta('Half')
  completion.cut()
}

function plain(markdown = ''): string {
  return markdown.replaceAll(/ +\n/g, '\n')
}
