import type { InlineKeyboardMarkup } from 'grammy/types'
import { KeyboardButton } from './message-button.tsx'

/** The buttons below a message, in their rows. */
export function InlineKeyboard({ markup }: { markup: InlineKeyboardMarkup | undefined }) {
  if (markup === undefined || markup.inline_keyboard.length === 0) return null
  return (
    <div class="inline-keys">
      {markup.inline_keyboard.map((row, rowIndex) => (
        <div class="inline-row" key={rowIndex}>
          {row.map((button, index) => (
            <KeyboardButton key={index} button={button} />
          ))}
        </div>
      ))}
    </div>
  )
}
