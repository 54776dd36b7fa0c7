import { expect, test } from 'vitest'
import { ANNA, BORIS, createBotSetup, type RunningBot } from '../../bot-setup.ts'
import { buttonsOf } from '../../commands/commands-setup.ts'

const GROUP = -5
const mediaPricesMicroRub = new Map([
  ['imagegen', 5_000_000n],
  ['vidgen-720p-5s', 40_000_000n],
  ['vidgen-720p-10s', 45_000_000n],
])

async function createGroup() {
  const setup = await createBotSetup()
  const { playground, service, database } = setup
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  service.onCompletion((completion) => {
    completion.answer('An answer')
  })
  return { ...setup, startBot, says, replies, taps, waitForBotText, orders }

  function startBot(): Promise<RunningBot> {
    return setup.startBot({ mediaPricesMicroRub })
  }

  function says(userId: number, text: string, replyToMessageId?: number) {
    const reply = replyToMessageId !== undefined && { replyToMessageId }
    return playground.userSends({ userId, chatId: GROUP, text, ...reply })
  }

  async function replies(userId: number, text: string) {
    const ask = await waitForBotText(/Reply to this message/)
    return says(userId, text, ask.id)
  }

  async function taps(userId: number, text: string) {
    const { id: messageId, data } = await playground.waitFor((it) => {
      const card = it.transcript(GROUP).findLast((one) => buttonsOf(one).flat().includes(text))
      const markup = card?.replyMarkup
      const buttons = markup && 'inline_keyboard' in markup ? markup.inline_keyboard.flat() : []
      const button = buttons.find((one) => one.text === text)
      return (
        card && button && 'callback_data' in button && { id: card.id, data: button.callback_data }
      )
    })
    const query = playground.presses({ userId, chatId: GROUP, messageId, data })
    return playground.waitFor((it) => it.pressed(query)?.answer)
  }

  function waitForBotText(text: RegExp) {
    return playground.waitFor((it) =>
      it.transcript(GROUP).findLast((one) => one.from === 'bot' && text.test(one.text ?? '')),
    )
  }

  function orders() {
    return database.prisma.order.findMany({ orderBy: { id: 'asc' } })
  }
}

// Promise: Another member of a group taps or answers a card
test('in a group a card is its user’s: another member neither taps nor answers it', async () => {
  const { startBot, says, replies, taps, waitForBotText, orders, service } = await createGroup()
  await startBot()

  says(ANNA, '/video')
  expect((await taps(BORIS, '10 s +₽5.00')).text).toBe(
    'Это чужая карточка. Своя — по команде /video',
  )
  await replies(BORIS, 'медведь')
  await waitForBotText(/Это чужая карточка/)
  await taps(ANNA, '10 s +₽5.00')
  const words = await replies(ANNA, 'a fox')
  await expect.poll(orders).toHaveLength(1)

  expect(await orders()).toMatchObject([
    {
      userId: BigInt(ANNA),
      chatId: BigInt(GROUP),
      replyToMessageId: words.message_id,
      params: { prompt: 'a fox', duration: 10 },
    },
  ])
  expect(service.completions).toHaveLength(0)
})

// Promise: A process is killed after a card was opened, or a tap was recorded
test('a card goes on in another process, with what was chosen in the first one', async () => {
  const { startBot, says, replies, taps, waitForBotText, orders } = await createGroup()
  const first = await startBot()
  says(ANNA, '/video')
  await taps(ANNA, '10 s +₽5.00')
  await waitForBotText(/^A clip: 10 s/)

  await first.kill()
  await startBot()
  await replies(ANNA, 'a fox')
  await expect.poll(orders).toHaveLength(1)
  says(ANNA, '/video 7s a hare')
  await waitForBotText(/^There is no option “7s”/)
  await taps(ANNA, '5 s, 720p, horizontal — ₽40.00')
  await waitForBotText(/^You ordered something less than a minute ago/)
  await taps(ANNA, 'Order for ₽40.00')

  await expect
    .poll(orders)
    .toMatchObject([
      { params: { prompt: 'a fox', duration: 10 } },
      { params: { prompt: 'a hare', duration: 5 } },
    ])
})
