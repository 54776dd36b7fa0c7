import type { KeyboardButton, ReplyKeyboardMarkup } from 'grammy/types'
import { toast } from '../../dialogs/notices.ts'
import { words } from '../../words/language.ts'

/** The actions of the keys. */
interface Keystrokes {
  onText: (text: string) => void
  onContact: () => void
}

/** The bot's own keys below the field: each sends its text, unless it asks for more. */
export function ReplyKeyboard(props: Keystrokes & { markup: ReplyKeyboardMarkup }) {
  const { keyboard, resize_keyboard: isResized = false } = props.markup
  return (
    <fieldset class="bot-keys" data-resized={isResized} aria-label={words.value.compose.keyboard}>
      {keyboard.map((row, rowIndex) => (
        // Rows and buttons stay where they are: another keyboard is another message.
        <div class="bot-keys-row" key={rowIndex}>
          {row.map((button, index) => (
            <button
              key={index}
              type="button"
              class="bot-key"
              data-style={typeof button === 'string' ? undefined : button.style}
              onClick={() => press(button, props)}
            >
              {typeof button === 'string' ? button : button.text}
            </button>
          ))}
        </div>
      ))}
    </fieldset>
  )
}

function press(button: KeyboardButton, { onText, onContact }: Keystrokes): void {
  if (typeof button === 'string') onText(button)
  else if ('request_contact' in button) onContact()
  else if (Object.keys(button).some((key) => key.startsWith('request_'))) {
    toast(words.value.compose.cannotShare)
  } else onText(button.text)
}
