import type { InlineKeyboardButton } from 'grammy/types'
import { ANNA, type BotSetup } from '../bot-setup.ts'

/** The labels below every message of a chat that has any, oldest first. */
export function allLabels(setup: BotSetup, chatId: number): string[][] {
  return labelsOf(setup, chatId, () => true)
}

/** The same without those that offer another answer: they stand below nearly every one. */
export function labels(setup: BotSetup, chatId: number): string[][] {
  return labelsOf(setup, chatId, (button) => !isAgain(button))
}

function labelsOf(
  { playground }: BotSetup,
  chatId: number,
  isMeant: (button: InlineKeyboardButton) => boolean,
): string[][] {
  return playground
    .transcript(chatId)
    .map((message) => buttonsOf(message).filter(isMeant))
    .map((buttons) => buttons.map(({ text }) => text))
    .filter((texts) => texts.length > 0)
}

function isAgain(button: InlineKeyboardButton): boolean {
  return 'callback_data' in button && /^(row|again):/.test(button.callback_data)
}

/** Waits for a button and presses it. @returns The notice that the press was answered with. */
export async function press(
  setup: BotSetup,
  text: string,
  { userId = ANNA, chatId = userId }: { userId?: number; chatId?: number } = {},
): Promise<string | undefined> {
  const id = await pressUnheard(setup, text, { userId, chatId })
  const { answer } = await setup.playground.waitFor((it) => {
    const pressed = it.pressed(id)
    return pressed?.answer && { answer: pressed.answer }
  })
  return answer.text
}

/** The same without waiting for the answer. @returns The id of the press. */
export async function pressUnheard(
  { playground }: BotSetup,
  text: string,
  { userId = ANNA, chatId = userId }: { userId?: number; chatId?: number } = {},
): Promise<string> {
  const [messageId, data] = await playground.waitFor((it) => {
    for (const message of it.transcript(chatId).toReversed()) {
      const button = buttonsOf(message).find((one) => one.text === text)
      if (button && 'callback_data' in button) return [message.id, button.callback_data] as const
    }
    return undefined
  })
  return playground.presses({ userId, chatId, messageId, data })
}

function buttonsOf({
  replyMarkup,
}: ReturnType<BotSetup['playground']['transcript']>[number]): InlineKeyboardButton[] {
  return replyMarkup && 'inline_keyboard' in replyMarkup ? replyMarkup.inline_keyboard.flat() : []
}
