import { useState } from 'preact/hooks'
import { NameDialog } from '../dialogs/name-dialog.tsx'
import { act } from '../request.ts'
import { show } from '../route.ts'
import { people } from '../state/people.ts'
import { words } from '../words/language.ts'

/** A group of everybody with the bot, which is opened at once. */
export function NewGroupDialog({ onClose }: { onClose: () => void }) {
  const [isForum, setForum] = useState(false)
  const [isAdministrator, setAdministrator] = useState(false)
  const { shell } = words.value
  return (
    <NameDialog
      title={shell.newGroup}
      label={shell.groupTitle}
      done={shell.create}
      max={128}
      onClose={onClose}
      onDone={async (title) => {
        const { chat_id: chatId } = await act('/groups', {
          title,
          is_forum: isForum,
          members: people.value.map(({ user }) => user.id),
          bot_status: isAdministrator ? 'administrator' : 'member',
        })
        show({ chatId })
      }}
    >
      <label class="tick">
        <input type="checkbox" checked={isForum} onChange={() => setForum(!isForum)} />
        {shell.withTopics}
      </label>
      <label class="tick">
        <input
          type="checkbox"
          checked={isAdministrator}
          onChange={() => setAdministrator(!isAdministrator)}
        />
        {shell.botIsAdministrator}
      </label>
      <p class="hint">{shell.groupHint}</p>
    </NameDialog>
  )
}
