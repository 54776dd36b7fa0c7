import type { WireTopic } from '../../web/api.ts'
import { attempt } from '../dialogs/attempt.ts'
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx'
import { NameDialog } from '../dialogs/name-dialog.tsx'
import { act } from '../request.ts'
import { replaceRoute } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { words } from '../words/language.ts'

export interface TopicDialogProps {
  chat: ChatState
  topic: WireTopic
  onClose: () => void
}

/** Asks for another name of a topic. */
export function RenameTopicDialog({ chat, topic, onClose }: TopicDialogProps) {
  const { shell } = words.value
  return (
    <NameDialog
      title={shell.renameTopic}
      label={shell.topicName}
      done={shell.save}
      value={topic.name}
      max={128}
      onClose={onClose}
      onDone={async (name) => {
        await act('/chats/:id/topic-changes', { thread_id: topic.thread_id, name }, chat.id)
      }}
    />
  )
}

/** Asks before a topic goes with everything in it. */
export function DeleteTopicDialog({ chat, topic, onClose }: TopicDialogProps) {
  const { shell } = words.value
  return (
    <ConfirmDialog
      title={shell.deleteTopic}
      text={shell.deleteTopicAsk(topic.name)}
      done={shell.delete}
      onClose={onClose}
      onDone={() => {
        void attempt(async () => {
          const change = { thread_id: topic.thread_id, is_deleted: true }
          await act('/chats/:id/topic-changes', change, chat.id)
          replaceRoute({ threadId: undefined })
        })
      }}
    />
  )
}
