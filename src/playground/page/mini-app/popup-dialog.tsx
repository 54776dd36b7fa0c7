import { Dialog } from '../parts/dialog.tsx'
import { words } from '../words/language.ts'
import type { Popup } from './protocol.ts'

/** A question of a Mini App; undefined answers that it was closed without a button. */
export function PopupDialog(props: {
  popup: Popup
  onAnswer: (buttonId: string | undefined) => void
}) {
  const { popup, onAnswer } = props
  const { miniApp: text, close, cancel } = words.value
  const names: Readonly<Record<string, string>> = { ok: text.ok, close, cancel }
  const buttons = popup.buttons.length > 0 ? popup.buttons : [{ id: '', type: 'close', text: '' }]
  return (
    <Dialog title={popup.title || text.title} onClose={() => onAnswer(undefined)}>
      <p class="plain-lines">{popup.message}</p>
      <div class="dialog-buttons">
        {buttons.map(({ id, type, text }) => (
          <button
            key={id}
            type="button"
            class={`button ${type === 'destructive' ? 'button-danger' : ''}`}
            onClick={() => onAnswer(id)}
          >
            {names[type] ?? text}
          </button>
        ))}
      </div>
    </Dialog>
  )
}
