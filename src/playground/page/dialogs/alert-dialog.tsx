import { Dialog } from '../parts/dialog.tsx'
import { nameOf } from '../state/names.ts'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'
import { alertText } from './notices.ts'

/** An answer of the bot that has to be closed. */
export function AlertDialog() {
  const text = alertText.value
  if (text === undefined) return null
  return (
    <Dialog title={bot.value === undefined ? '' : nameOf(bot.value.me)} onClose={close}>
      <p class="plain-lines">{text}</p>
      <div class="dialog-buttons">
        <button type="button" class="button button-main" onClick={close}>
          {words.value.shell.ok}
        </button>
      </div>
    </Dialog>
  )
}

function close(): void {
  alertText.value = undefined
}
