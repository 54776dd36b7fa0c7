import type { InlineKeyboardMarkup } from 'grammy/types'

/** Texts `example-1` and so on are what they ask. */
const NUMBERS = [1, 2, 3] as const

/** What a press of one says: its number. */
export const EXAMPLE_DATA = new RegExp(`^example:([${NUMBERS.join('')}])$`)

/** A button for each example, with its words in the language of `t`. */
export function exampleKeyboard(t: (key: string) => string): InlineKeyboardMarkup {
  return {
    inline_keyboard: NUMBERS.map((number) => [
      { text: t(`example-${number}`), callback_data: `example:${number}` },
    ]),
  }
}

/** Whether a press asks an example, and so waits until the turns before it in its thread have ended. */
export function asksExample(callbackData: string | undefined): boolean {
  return EXAMPLE_DATA.test(callbackData ?? '')
}
