import { Composer } from '../composer/composer.tsx'
import { Messages } from '../messages/messages.tsx'
import type { ChatState } from '../state/chat-state.ts'
import { threadShown } from '../state/chats.ts'
import { titleOf } from '../state/names.ts'
import { hasTopics } from '../state/topics.ts'
import { TopicList } from '../topics/topic-list.tsx'
import { ChatHeader } from './chat-header.tsx'
import { Greeting } from './greeting.tsx'

/** A chat that is open: its header, its messages, and where one writes; of a forum its topics first. */
export function ChatView({ chat }: { chat: ChatState }) {
  const info = chat.info.value
  const threadId = threadShown.value
  const thread = threadId ?? 0
  const isList = hasTopics(info) && threadId === undefined
  const isNew = info.chat.type === 'private' && chat.messages.value.length === 0
  return (
    <section class="chat" aria-label={titleOf(info.chat)}>
      <ChatHeader chat={chat} />
      {isList ? (
        <TopicList chat={chat} />
      ) : (
        <>
          {isNew ? (
            <Greeting />
          ) : (
            <Messages key={`${chat.id}/${thread}`} chat={chat} threadId={thread} />
          )}
          <Composer key={`${chat.id}/${thread}/composer`} chat={chat} threadId={thread} />
        </>
      )}
    </section>
  )
}
