import { describe, expect, test } from 'vitest'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../bot-setup.ts'
import { carelessCalls } from '../careless-calls.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { allLabels, labels, press, pressUnheard } from './buttons.ts'
import { ended, turns, until } from './ended.ts'

/** 10 tokens of prompt and 20 of answer, as the service counts them. */
const AGAIN = '↻ Again ≈\u00a0₽0.01'

const GROUP = -5

describe('below a finished answer', () => {
  test('Again gives another one in a message of its own: the older one stays to compare, the newest counts', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    const question = await ask(setup, 'Hello?', 'Hi.')
    expect(allLabels(setup, ANNA)).toEqual([[AGAIN]])

    await press(setup, AGAIN)
    answer(await setup.service.next(), 'Hey.')
    await ended(setup, 2)
    const next = await ask(setup, 'And you?', 'Fine.')

    expect(setup.textsIn(ANNA)).toEqual(['Hi.', 'Hey.', 'Fine.'])
    expect(setup.playground.transcript(ANNA)[2]?.replyToMessageId).toBe(question.messageId)
    expect(next.completion.request.messages.map(({ content }) => content)).toEqual([
      ...['Hello?', 'Hey.', 'And you?'],
    ])
    expect(await turns(setup)).toMatchObject([
      { model: 'alpha', setAsideAt: expect.any(Date), charge: [{ kind: 'answer' }] },
      { model: 'alpha', setAsideAt: null, attempt: 2, charge: [{ kind: 'retry' }] },
      { setAsideAt: null },
    ])
  })

  test.each(['is refused', 'breaks off'])(
    'while the other answer %s, the older one counts, and Retry tries again',
    async (how) => {
      const setup = await createBotSetup()
      await setup.startBot()
      await ask(setup, 'Hello?', 'Hi.')
      await press(setup, AGAIN)
      const failing = await setup.service.next()
      if (how === 'is refused') failing.refuse(502)
      else {
        failing.delta('He')
        failing.cut()
      }
      await ended(setup, 2)

      const next = await ask(setup, 'And you?', 'Fine.', 3)

      expect(next.completion.request.messages.map(({ content }) => content)).toEqual([
        ...['Hello?', 'Hi.', 'And you?'],
      ])
      expect(labels(setup, ANNA)).toEqual([['Retry']])
    },
  )

  test('a double tap gives one answer, and says so', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')

    const presses = [await pressUnheard(setup, AGAIN), await pressUnheard(setup, AGAIN)]
    const completion = await setup.service.next()
    // The second one is answered while the other answer is being written.
    await setup.playground.waitFor((it) => presses.every((id) => it.pressed(id)?.answer))
    answer(completion, 'Hey.')
    await ended(setup, 2)

    expect(setup.textsIn(ANNA)).toEqual(['Hi.', 'Hey.'])
    const notices = presses.map((id) => setup.playground.pressed(id)?.answer?.text)
    expect(notices).toEqual(['', expect.stringContaining('decided already')])
  })

  test.each(['before', 'after'] as const)(
    'a crash %s the other answer began to show: it is asked for once',
    async (when) => {
      const setup = await createBotSetup()
      const first = await setup.startBot()
      await ask(setup, 'Hello?', 'Hi.')
      await press(setup, AGAIN)
      const again = await setup.service.next()
      if (when === 'after') {
        again.delta('He')
        await until(async () => (await turns(setup))[1]?.shownText === 'He')
      }
      await first.kill()

      await setup.startBot()
      if (when === 'before') answer(await setup.service.next(), 'Hey.')
      await ended(setup, 2)

      const after =
        when === 'before' ? ['Hey.'] : ['He', expect.stringMatching(/^\(I was restarted/)]
      expect(setup.textsIn(ANNA)).toEqual(['Hi.', ...after])
      expect(await setup.database.prisma.turn.count()).toBe(2)
    },
  )
})

describe('/retry', () => {
  test('answers the last message again, with the model that is named; an answer before it stays to read', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')

    setup.playground.userSends({ userId: ANNA, text: '/retry BET' })
    const variant = await setup.service.next()
    answer(variant, 'Hey.')
    await ended(setup, 2)
    setup.playground.userSends({ userId: ANNA, text: '/history' })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

    expect(variant.request.model).toBe('beta')
    await buttonsGo(setup, 'Hi.')
    expect(setup.textsIn(ANNA).at(-1)).toMatch(
      /Hello\?\s+alpha, .*, no longer counts\s+Hi\.\s+Anna, .*\s+Hello\?\s+beta, [^,]*, \d+:\d+\s+Hey\.$/,
    )
  })
})

test.each([
  ['was refused', (completion: OpenCompletion) => completion.refuse(502)],
  [
    'broke off',
    (completion: OpenCompletion) => {
      completion.delta('Half')
      completion.cut()
    },
  ],
])('Retry after an answer that %s answers the same prompt again, once', async (_how, goWrong) => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  goWrong(await setup.service.next())
  await ended(setup)
  const failure = setup.textsIn(ANNA)[0]

  const presses = [await pressUnheard(setup, 'Retry'), await pressUnheard(setup, 'Retry')]
  answer(await setup.service.next(), 'Hello!')
  await ended(setup, 2)

  expect(setup.textsIn(ANNA)).toEqual([failure, 'Hello!'])
  expect(labels(setup, ANNA)).toEqual([])
  expect(setup.service.completions.at(-1)?.request.messages).toEqual([
    { role: 'user', content: 'Hello?' },
  ])
  expect(setup.service.completions).toHaveLength(2)
  expect(await turns(setup)).toMatchObject([
    { state: 'failed', attempt: 1, setAsideAt: expect.any(Date) },
    { state: 'finished', attempt: 2, setAsideAt: null, charge: [{ estimated: false }] },
  ])
  const notices = presses.map((id) => setup.playground.pressed(id)?.answer?.text)
  expect(notices[1]).toContain('decided already')
})

test('Retry after Stop: the model reads the new answer only, both costs are kept', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()
  first.delta('Half')
  await press(setup, 'Stop')
  await setup.playground.waitFor(() => labels(setup, ANNA).flat().includes('Retry'))
  first.finish({ costRub: 0.25 })
  await ended(setup)

  await press(setup, 'Retry')
  answer(await setup.service.next(), 'Whole.')
  await ended(setup, 2)
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  const next = await setup.service.next()
  answer(next, 'Two.')
  await ended(setup, 3)

  expect(next.request.messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'Whole.' },
    { role: 'user', content: 'two' },
  ])
  const costs = (await turns(setup)).map(({ charge }) => charge[0]?.amountMicroRub)
  expect(costs).toEqual([250_000n, 500_000n, 500_000n])
})

test('only the user who asked and admins may press a button of a reply', async () => {
  const setup = await createBotSetup()
  await setup.startBot({ adminIds: new Set([ANNA]) })
  setup.playground.addUser({ id: 103, firstName: 'Clara', languageCode: 'en' })
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS, 103] })
  const asked = `@${setup.playground.me.username} Hi`
  setup.playground.userSends({ userId: BORIS, chatId: GROUP, text: asked })
  const completion = await setup.service.next()
  completion.delta('Half')

  const notice = await press(setup, 'Остановить', { userId: 103, chatId: GROUP })
  expect(notice).toContain('Only the person who asked')
  await press(setup, 'Остановить', { userId: ANNA, chatId: GROUP })
  completion.finish()
  await ended(setup)
  const retried = await press(setup, 'Повторить', { userId: 103, chatId: GROUP })
  expect(retried).toContain('Only the person who asked')
  await press(setup, 'Повторить', { userId: BORIS, chatId: GROUP })
  answer(await setup.service.next(), 'Whole.')
  await ended(setup, 2)

  expect(setup.textsIn(GROUP).at(-1)).toBe('Whole.')
})

test('a press for a turn that is not of this chat, or not there at all, gets a notice', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  ;(await setup.service.next()).refuse(502)
  await ended(setup)
  const [turn] = await turns(setup)
  await setup.database.prisma.turn.update({
    where: { id: turn?.id ?? 0n },
    data: { chatId: BORIS },
  })

  expect(await press(setup, 'Retry')).toContain('decided already')
  await setup.playground.waitFor(() => labels(setup, ANNA).length === 0)
})

test('where question follows question the row stands below the last answer alone', async () => {
  const setup = await createBotSetup()
  await setup.startBot()

  for (let asked = 0; asked < 4; asked++) await ask(setup, 'Hello?', 'Hi.')

  const last = () => setup.playground.transcript(ANNA).at(-1)?.replyMarkup
  const seen = () => ({ labels: allLabels(setup, ANNA), isBelowLast: last() !== undefined })
  await expect.poll(seen, { timeout: 20_000 }).toEqual({ labels: [[AGAIN]], isBelowLast: true })
  expect(carelessCalls(setup.playground)).toEqual([])
})

async function buttonsGo({ playground }: BotSetup, text: string): Promise<void> {
  await playground.waitFor((it) => {
    const shown = it.transcript(ANNA).find((message) => message.text === text)
    return shown !== undefined && shown.replyMarkup === undefined
  })
}

async function ask(setup: BotSetup, text: string, reply: string, count?: number) {
  const before = count === undefined ? await setup.database.prisma.turn.count() : count - 1
  const { message_id: messageId } = setup.playground.userSends({ userId: ANNA, text })
  const completion = await setup.service.next()
  answer(completion, reply)
  await ended(setup, before + 1)
  return { messageId, completion }
}

function answer(completion: OpenCompletion, text: string): void {
  completion.delta(text)
  completion.finish()
}
