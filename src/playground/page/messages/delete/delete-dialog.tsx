import { useEffect, useRef } from 'preact/hooks'
import { words } from '../../words/language.ts'
import { deleteMessages } from '../actions.ts'
import { askedToDelete } from './asked.ts'

/** Asks before messages are deleted. */
export function DeleteDialog() {
  const asked = askedToDelete.value
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (asked !== undefined) dialog.current?.showModal()
  }, [asked])
  if (asked === undefined) return null
  const { cancel, message } = words.value
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-labelledby="delete-title"
      onClose={({ currentTarget }) => {
        askedToDelete.value = undefined
        if (currentTarget.returnValue === 'delete') void deleteMessages(asked.chat, asked.ids)
      }}
    >
      <form method="dialog">
        <h2 id="delete-title">{message.deleteTitle(asked.ids.length)}</h2>
        <p>{message.deleteHint}</p>
        <div class="ask-buttons">
          <button type="submit" class="button" value="">
            {cancel}
          </button>
          <button type="submit" class="button button-danger" value="delete">
            {message.menu.delete}
          </button>
        </div>
      </form>
    </dialog>
  )
}
