import { expect } from 'vitest'
import type { BotSettings } from '../../../src/bot/context.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../bot-setup.ts'

/** Reads English, like Anna; Boris is an admin as well and reads Russian. */
export const OLGA = 201

/** A setup for a closed circle that Anna is not in. */
export async function createClosedSetup(settings: Partial<BotSettings> = {}) {
  const setup = await createBotSetup()
  setup.playground.addUser({ id: OLGA, firstName: 'Olga', username: 'olga', languageCode: 'en' })
  await setup.database.prisma.user.createMany({
    data: [
      { id: OLGA, firstName: 'Olga', languageCode: 'en' },
      { id: BORIS, firstName: 'Boris', languageCode: 'ru' },
    ],
  })
  await setup.startBot({
    adminIds: new Set([OLGA, BORIS]),
    allowedUserIds: new Set([1]),
    ...settings,
  })
  const { press } = createPresser(setup)
  return { setup, press, sends, requests }

  function sends(userId: number, text: string, chatId = userId): void {
    setup.playground.userSends({ userId, chatId, text })
  }

  async function requests(): Promise<void> {
    sends(ANNA, 'Hello?')
    await setup.playground.waitFor(() => setup.textsIn(ANNA).length > 0)
    await press(ANNA, 'Ask for access')
    await setup.playground.waitFor(
      () =>
        setup.textsIn(ANNA).some((text) => text?.includes('Request sent')) &&
        setup.textsIn(OLGA).length > 0 &&
        setup.textsIn(BORIS).length > 0,
    )
  }
}

export function createPresser({ playground }: BotSetup) {
  return { press, buttons, pressData }

  function buttons(chatId: number) {
    const markup = playground
      .transcript(chatId)
      .findLast(({ from, replyMarkup }) => from === 'bot' && replyMarkup !== undefined)
    const keyboard =
      markup?.replyMarkup && 'inline_keyboard' in markup.replyMarkup
        ? markup.replyMarkup.inline_keyboard.flat()
        : []
    return { messageId: markup?.id ?? 0, keyboard }
  }

  async function press(userId: number, text: string, chatId = userId): Promise<string | undefined> {
    const { messageId, keyboard } = buttons(chatId)
    const button = keyboard.find((one) => one.text === text)
    const data = button && 'callback_data' in button ? button.callback_data : ''
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64)
    return pressData({ userId, chatId, messageId, data })
  }

  async function pressData(given: {
    userId: number
    chatId: number
    messageId: number
    data: string
  }): Promise<string | undefined> {
    const id = playground.presses(given)
    const answered = await playground.waitFor((it) => it.pressed(id)?.answer)
    return answered.text
  }
}
