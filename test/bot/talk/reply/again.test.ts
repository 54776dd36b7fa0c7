import { describe, expect, test } from 'vitest'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import type { OpenCompletion } from '../../chat-service.ts'
import { ended, turns, until } from '../turns/ended.ts'
import { allLabels, labels, press, pressUnheard } from './buttons.ts'

const GROUP = -5
const ROW = ['↻ Again', '⇄ Other model']
const [ROW_AGAIN = '', ROW_OTHERS = ''] = ROW
/** 10 tokens of prompt and 20 of answer, as the service counts them. */
const AGAIN = '↻ Again ≈\u00a0₽0.01'
const WITH_BETA = 'With beta <₽0.01'

// Promise: An upstream takes no request of ours: a wrong key, no money, no rights, a model that is not there
describe('below the words that a model is not set up right', () => {
  test('there is no Retry, and another model answers', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await askUnset(setup)

    expect(setup.textsIn(ANNA)).toEqual([
      'This model isn’t set up right, so it can’t answer. The bot’s admins know. Nothing was charged.',
    ])
    expect(allLabels(setup, ANNA)).toEqual([[ROW_OTHERS]])

    await press(setup, ROW_OTHERS)
    await press(setup, WITH_BETA)
    const other = await setup.service.next()
    answer(other, 'Hi.')
    await ended(setup, 2)

    expect(other.request.model).toBe('beta')
    expect(await turns(setup)).toMatchObject([
      {
        state: 'failed',
        errorCode: 'model_misconfigured',
        setAsideAt: expect.any(Date),
        charge: [],
      },
      { state: 'finished', setAsideAt: null, charge: [{ item: 'beta' }] },
    ])
  })

  test('/retry asks it again, once it was mended', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await askUnset(setup)

    setup.playground.userSends({ userId: ANNA, text: '/retry' })
    answer(await setup.service.next(), 'Hi.')
    await ended(setup, 2)

    expect(setup.textsIn(ANNA).at(-1)).toBe('Hi.')
  })

  async function askUnset(setup: BotSetup): Promise<void> {
    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    const asked = await setup.service.next()
    asked.refuse(503, { detail: 'No', code: 'model_misconfigured' })
    await ended(setup)
  }
})

describe('below a finished answer', () => {
  test('Again gives another one in a message of its own: the older one stays to compare, the newest counts', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    const question = await ask(setup, 'Hello?', 'Hi.')
    expect(allLabels(setup, ANNA)).toEqual([ROW])

    await pressAgain(setup)
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

  test('With another model asks that one, at the price on the button; the next message goes to the one before', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')

    await press(setup, ROW_OTHERS)
    await press(setup, WITH_BETA)
    const variant = await setup.service.next()
    variant.delta('Hey.')
    variant.finish({ costRub: null })
    await ended(setup, 2)
    const next = await ask(setup, 'And you?', 'Fine.')

    expect(variant.request).toMatchObject({
      model: 'beta',
      messages: [{ role: 'user', content: 'Hello?' }],
    })
    expect((await turns(setup))[1]?.charge).toMatchObject([
      { item: 'beta', amountMicroRub: 1_350n, completionPriceMicroRub: 60_000_000n },
    ])
    expect(next.completion.request.model).toBe('alpha')
  })

  // Promise: Again is left below an older answer, by a crash or a refused call
  test('a button that is left below an older answer says that there is nothing to do, and goes', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')
    const refused = { kind: 'refuse', status: 400, description: 'Bad Request: no' } as const
    const method = 'editMessageReplyMarkup'
    const fault = setup.playground.fault({ ...refused, method, times: Number.POSITIVE_INFINITY })
    await ask(setup, 'And you?', 'Fine.')
    fault.end()
    const [first] = await turns(setup)
    const messageId = first?.messageIds[0] ?? 0

    const stale = { userId: ANNA, chatId: ANNA, messageId, data: `row:same:${first?.id}` }
    const id = setup.playground.presses(stale)
    const { text } = await setup.playground.waitFor((it) => it.pressed(id)?.answer)
    await buttonsGo(setup, 'Hi.')

    expect(text).toContain('decided already')
    expect(await setup.database.prisma.turn.count()).toBe(2)
  })

  // Promise: Another answer is refused, breaks off, meets a limit or is taken back
  test.each(['is refused', 'breaks off'])(
    'while the other answer %s, the older one counts, and Retry tries again',
    async (how) => {
      const setup = await createBotSetup()
      await setup.startBot()
      await ask(setup, 'Hello?', 'Hi.')
      await pressAgain(setup)
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

  // Promise: Another answer is refused, breaks off, meets a limit or is taken back
  test('that a limit leaves no room for is not asked, says which limit, and the older one counts', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')
    const amountMicroRub = 550_000n
    const limit = { subjectId: ANNA, period: 'all', amountMicroRub, setById: 1n } as const
    await setup.database.prisma.spendLimit.create({ data: limit })

    await pressAgain(setup)
    await ended(setup, 2)
    await setup.database.prisma.spendLimit.deleteMany()
    const next = await ask(setup, 'And you?', 'Fine.', 3)

    expect(setup.textsIn(ANNA)[1]).toMatch(
      /^When you asked, ₽0\.05 of your limit of ₽0\.55.*Nothing was charged/s,
    )
    expect(next.completion.request.messages.map(({ content }) => content)).toEqual([
      ...['Hello?', 'Hi.', 'And you?'],
    ])
    expect(setup.service.completions).toHaveLength(2)
  })

  // Promise: Again is tapped twice, or by somebody else
  test('a double tap gives one answer, and says so', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')

    await press(setup, ROW_AGAIN)
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

  // Promise: Again is tapped twice, or by somebody else
  test('only who asked and admins have it answered again, and who asked pays', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
    const text = `@${setup.playground.me.username} Hi`
    setup.playground.userSends({ userId: ANNA, chatId: GROUP, text })
    answer(await setup.service.next(), 'Hi.')
    await ended(setup)

    const notice = await press(setup, ROW_AGAIN, { userId: BORIS, chatId: GROUP })
    expect(notice).toContain('только тот, кто спросил')
    await pressAgain(setup, { userId: ANNA, chatId: GROUP })
    answer(await setup.service.next(), 'Hey.')
    await ended(setup, 2)

    expect(setup.textsIn(GROUP)).toEqual(['Hi.', 'Hey.'])
    expect((await turns(setup)).map(({ charge }) => charge[0]?.userId)).toEqual([101n, 101n])
  })

  // Promise: A process dies while another answer is asked for, by a button or by `/retry`
  test.each(['before', 'after'] as const)(
    'a crash %s the other answer began to show: it is asked for once',
    async (when) => {
      const setup = await createBotSetup()
      const first = await setup.startBot()
      await ask(setup, 'Hello?', 'Hi.')
      await pressAgain(setup)
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

  test('a model that the service has no more is not asked, and says so', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')
    await press(setup, ROW_AGAIN)
    const [turn] = await turns(setup)
    const where = { id: turn?.id ?? 0n }
    await setup.database.prisma.turn.update({ where, data: { model: 'omega' } })

    expect(await press(setup, AGAIN)).toContain('no longer')
    expect(await setup.database.prisma.turn.count()).toBe(1)
  })
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
      /Hello\?\s+alpha, .*, answer 1 of 2, replaced\s+Hi\.\s+beta, .*, answer 2 of 2\s+Hey\.$/,
    )
  })

  test('after a failure does as Retry; where nothing can be given again it says so', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: '/retry' })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 1)
    expect(setup.textsIn(ANNA)[0]).toContain('no answer here')
    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    ;(await setup.service.next()).refuse(502)
    await ended(setup)

    setup.playground.userSends({ userId: ANNA, text: '/retry' })
    answer(await setup.service.next(), 'Hi.')
    await ended(setup, 2)

    expect(setup.textsIn(ANNA).at(-1)).toBe('Hi.')
  })

  test('while an answer is written says so at once, and asks nothing', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    const completion = await setup.service.next()
    completion.delta('H')
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 1)

    setup.playground.userSends({ userId: ANNA, text: '/retry' })
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)
    answer(completion, 'i.')
    await ended(setup)

    expect(setup.textsIn(ANNA)).toEqual(['Hi.', expect.stringContaining('still being written')])
    expect(setup.service.completions).toHaveLength(1)
  })

  test('that names no model, or several, lists them', async () => {
    const setup = await createBotSetup()
    await setup.startBot()
    await ask(setup, 'Hello?', 'Hi.')

    for (const text of ['/retry omega', '/retry a']) {
      setup.playground.userSends({ userId: ANNA, text })
    }
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

    expect(setup.textsIn(ANNA).slice(1)).toEqual([
      expect.stringMatching(/^Which model\?.*\n\/retry alpha\n\/retry beta$/s),
      expect.stringMatching(/^Which model\?.*\n\/retry alpha\n\/retry beta$/s),
    ])
    expect(setup.service.completions).toHaveLength(1)
  })

  // Promise: A process dies while another answer is asked for, by a button or by `/retry`
  test.each(['in the middle', 'at its end'])(
    'that a crash met %s is carried out once',
    async (where) => {
      const setup = await createBotSetup()
      const first = await setup.startBot()
      await ask(setup, 'Hello?', 'Hi.')
      setup.playground.userSends({ userId: ANNA, text: '/retry' })
      const again = await setup.service.next()
      if (where === 'at its end') {
        answer(again, 'Hey.')
        await until(async () => (await turns(setup))[1]?.endedAt != null)
        await setup.database.prisma.update.updateMany({
          where: { payload: { path: ['message', 'text'], equals: '/retry' } },
          data: { leaseOwner: null, releasedAt: null, handledAt: null },
        })
      }
      await first.kill()

      await setup.startBot()
      if (where === 'in the middle') answer(await setup.service.next(), 'Hey.')
      await ended(setup, 2)

      expect(setup.textsIn(ANNA)).toEqual(['Hi.', 'Hey.'])
      expect(await setup.database.prisma.turn.count()).toBe(2)
    },
  )
})

async function pressAgain(setup: BotSetup, who: Parameters<typeof press>[2] = {}) {
  await press(setup, ROW_AGAIN, who)
  return press(setup, AGAIN, who)
}

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
