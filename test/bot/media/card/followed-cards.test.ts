import { expect, test } from 'vitest'
import { ANNA, createBotSetup } from '../../bot-setup.ts'
import { buttonsOf } from '../../commands/commands-setup.ts'

const mediaPricesMicroRub = new Map([['imagegen', 5_000_000n]])

test('a question right after a card costs nothing before its user says that it is one', async () => {
  const { playground, service, database, startBot } = await createBotSetup()
  service.onCompletion((completion) => completion.answer('Red.'))
  await startBot({ mediaPricesMicroRub })
  const says = (text: string) => playground.userSends({ userId: ANNA, text })
  // From here on the bot knows her, and asks nothing about her.
  says('Hello?')
  await playground.waitFor((it) => it.transcript(ANNA).some(({ text }) => text === 'Red.'))
  says('/image')
  const card = await playground.waitFor((it) => it.transcript(ANNA).find(hasButton('✓ square')))

  says('What colour is a fox?')
  await playground.waitFor((it) => it.transcript(ANNA).find(hasButton('Ask the model')))
  expect(service.completions).toHaveLength(1)
  const asking = playground.transcript(ANNA).find(({ id }) => id === card.id)
  const markup = asking?.replyMarkup
  const buttons = markup && 'inline_keyboard' in markup ? markup.inline_keyboard.flat() : []
  const ask = buttons.find(({ text }) => text === 'Ask the model')
  const data = ask && 'callback_data' in ask ? ask.callback_data : ''
  playground.presses({ userId: ANNA, messageId: card.id, data })

  await playground.waitFor(
    (it) => it.transcript(ANNA).filter(({ text }) => text === 'Red.').length === 2,
  )
  const { messages } = service.completions[1]?.request ?? {}
  expect(messages?.at(-1)?.content).toBe('What colour is a fox?')
  expect(await database.prisma.order.count()).toBe(0)
  says('And a hare?')
  await expect.poll(() => service.completions.length).toBe(3)
})

function hasButton(text: string) {
  return (message: Parameters<typeof buttonsOf>[0] & object) =>
    buttonsOf(message).flat().includes(text)
}
