import { Icon } from '../../parts/icons.tsx'
import type { ChatState } from '../../state/chat-state.ts'
import { previewOf } from '../../state/describe-service.ts'
import { hasTopics, threadOf } from '../../state/topics.ts'
import { words } from '../../words/language.ts'

/** The newest pinned message of what is shown; a press leads to it. */
export function PinnedBar({
  chat,
  threadId,
  onGo,
}: {
  chat: ChatState
  threadId: number
  onGo: (messageId: number) => void
}) {
  const { pinned } = chat.info.value
  const shown = chat.messages.value.filter((wire) => threadOf(wire) === threadId)
  const known = shown.findLast(({ message }) => message.message_id === pinned[0])
  const wire = known ?? shown.findLast(({ message }) => pinned.includes(message.message_id))
  // One that is not loaded yet has no words here; in which topic it is, only the message itself says.
  const id = wire?.message.message_id ?? (hasTopics(chat.info.value) ? undefined : pinned[0])
  if (id === undefined) return null
  return (
    <button type="button" class="pinned-bar" onClick={() => onGo(id)}>
      <Icon name="pin" />
      <span class="pinned-words">
        <span class="pinned-title small">{words.value.message.pinned}</span>
        {wire === undefined ? null : <span class="cut">{previewOf(wire.message)}</span>}
      </span>
    </button>
  )
}
