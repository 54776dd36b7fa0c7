import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../bot-setup.ts'
import { createPresser } from '../people/access-setup.ts'

const EXAMPLE = 'Plan a weekend in Kazan'
const OTHER = 'Explain inflation to a ten-year-old'

async function setUp() {
  const setup = await createBotSetup()
  const bot = await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: '/start' })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 1)
  const [greeting] = setup.playground.transcript(ANNA).filter(({ from }) => from === 'bot')
  return { ...setup, setup, bot, greeting, tap }

  function tap(number: number): string {
    const data = `example:${number}`
    const { id: messageId = 0 } = greeting ?? {}
    return setup.playground.presses({ userId: ANNA, chatId: ANNA, messageId, data })
  }
}

function shown({ playground }: BotSetup, text: string) {
  return playground.waitFor((it) => it.transcript(ANNA).find((one) => one.text === text))
}

test('/start names the model, what a message costs about, and offers three examples', async () => {
  const { greeting } = await setUp()

  // 50 tokens of a question at 150, 300 of an answer at 600 roubles a million, and those around the messages.
  expect(greeting?.text).toMatch(/\nalpha answers here.* answer: ≈\u00a0₽0\.19\.\n/)
  const markup = greeting?.replyMarkup
  expect(markup && 'inline_keyboard' in markup && markup.inline_keyboard).toHaveLength(3)
})

test('a tapped example is asked as the prompt of who tapped, and its answer belongs to a message', async () => {
  const { setup, database, service } = await setUp()
  const { press } = createPresser(setup)

  const notice = await press(ANNA, EXAMPLE)
  const completion = await service.next()
  completion.delta('On Friday')
  completion.finish({ costRub: 2 })
  await shown(setup, 'On Friday')

  expect(notice).toBe('')
  expect(completion.request.messages).toEqual([{ role: 'user', content: EXAMPLE }])
  const question = await shown(setup, `You ask: ${EXAMPLE}`)
  await expect
    .poll(() => database.prisma.turn.findMany({ include: { charge: true } }))
    .toMatchObject([
      {
        promptMessageId: question.id,
        userId: BigInt(ANNA),
        charge: [{ userId: BigInt(ANNA), amountMicroRub: 2_000_000n }],
      },
    ])
})

test('an example that is tapped twice is asked once, and each of the others once', async () => {
  const { setup, playground, service, tap } = await setUp()

  const [first, again, other] = [tap(2), tap(2), tap(1)]
  for (const answer of ['One', 'Two']) {
    const completion = await service.next()
    completion.delta(answer)
    completion.finish()
    await shown(setup, answer)
  }
  for (const id of [first, again, other]) await playground.waitFor((it) => it.pressed(id)?.answer)

  expect(playground.pressed(first)?.answer?.text).toBe('')
  expect(playground.pressed(again)?.answer?.text).toContain('already asked')
  expect(service.completions.map(({ prompt }) => prompt)).toEqual([EXAMPLE, OTHER])
})
