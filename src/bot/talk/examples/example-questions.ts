import type { InlineKeyboardMarkup } from 'grammy/types'

const NUMBERS = [1, 2, 3] as const

/** The data of an example's button: its number. */
export const EXAMPLE_DATA = new RegExp(`^example:([${NUMBERS.join('')}])$`)

/** A button for each example, with its words in the language of `t`. */
export function exampleKeyboard(t: (key: string) => string): InlineKeyboardMarkup {
  return {
    inline_keyboard: NUMBERS.map((number) => [
      { text: t(`example-${number}`), callback_data: `example:${number}` },
    ]),
  }
}

/** Checks whether a press asks an example, and so waits until the turns before it in its thread have ended. */
export function asksExample(callbackData: string | undefined): boolean {
  return EXAMPLE_DATA.test(callbackData ?? '')
}
