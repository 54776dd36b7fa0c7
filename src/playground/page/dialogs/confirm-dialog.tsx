import { Dialog } from '../parts/dialog.tsx'
import { words } from '../words/language.ts'

/** Asks before something that cannot be taken back. */
export function ConfirmDialog(props: {
  title: string
  text: string
  done: string
  onDone: () => void
  onClose: () => void
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.text}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={props.onClose}>
          {words.value.cancel}
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            props.onClose()
            props.onDone()
          }}
        >
          {props.done}
        </button>
      </div>
    </Dialog>
  )
}
