import { NameDialog } from '../dialogs/name-dialog.tsx'
import { show } from '../route.ts'
import { act } from '../talk/request.ts'
import { language, words } from '../words/language.ts'

/** Somebody new to be: one is them at once. */
export function NewPersonDialog({ onClose }: { onClose: () => void }) {
  const { shell } = words.value
  return (
    <NameDialog
      title={shell.newPerson}
      label={shell.firstName}
      done={shell.create}
      max={64}
      onClose={onClose}
      onDone={async (name) => {
        const body = { first_name: name, language_code: language.value }
        const { user } = await act('/people', body)
        show({ as: user.id })
      }}
    />
  )
}
