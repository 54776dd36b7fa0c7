import { describe, expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import type { OpenCompletion } from '../../chat-service.ts'
import { ended, turns, until } from '../turns/ended.ts'
import { allLabels, labels, press, pressUnheard } from './buttons.ts'

const ROW = ['↻ Again', '⇄ Other model']
const [ROW_AGAIN = '', ROW_OTHERS = ''] = ROW
/** 10 tokens of prompt and 20 of answer, as the service counts them. */
const AGAIN = '↻ Again ≈\u00a0₽0.01'
const WITH_BETA = 'With beta <₽0.01'

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
