import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx'
import { words } from '../words/language.ts'
import { deleteMessages } from './actions.ts'
import { askedToDelete } from './asked-to-delete.ts'

/** Asks before messages are deleted. */
export function DeleteDialog() {
  const asked = askedToDelete.value
  if (asked === undefined) return null
  const { deleteHint, deleteTitle, menu } = words.value.message
  return (
    <ConfirmDialog
      title={deleteTitle(asked.ids.length)}
      text={deleteHint}
      done={menu.delete}
      onDone={() => void deleteMessages(asked.chat, asked.ids)}
      onClose={() => {
        askedToDelete.value = undefined
      }}
    />
  )
}
