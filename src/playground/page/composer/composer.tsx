import type { ChatState } from '../state/chat-state.ts'
import { act } from '../talk/request.ts'
import { words } from '../words/language.ts'
import { ClosedNote, OneButton } from './closed-bars.tsx'
import { OpenComposer } from './open-composer.tsx'

/** Lets the person write to a chat or to one of its topics; where they cannot, offers what they can do instead. */
export function Composer({ chat, threadId }: { chat: ChatState; threadId: number }) {
  const { compose } = words.value
  const { chat: shown, topics, is_blocked: isBlocked, is_started: isStarted } = chat.info.value
  if (isBlocked) {
    return (
      <OneButton
        label={compose.unblock}
        onPress={() => act('/chats/:id/blocks', { is_blocked: false }, chat.id)}
      />
    )
  }
  if (!isStarted) {
    return <OneButton label={compose.start} onPress={() => act('/chats/:id/starts', {}, chat.id)} />
  }
  const topic = topics.find(({ thread_id: id }) => id === threadId)
  if (topic?.is_closed) return <ClosedNote text={compose.closedTopic} />
  if (shown.type === 'channel') return <ClosedNote text={compose.channel} />
  return <OpenComposer chat={chat} threadId={threadId} />
}
