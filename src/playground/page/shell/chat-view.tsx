import { TopicList } from '../chats/topic-list.tsx'
import { Composer } from '../composer/composer.tsx'
import { Messages } from '../messages/messages.tsx'
import { Avatar } from '../parts/avatar.tsx'
import type { ChatState } from '../state/chat-state.ts'
import { threadShown } from '../state/chats.ts'
import { nameOf, titleOf } from '../state/names.ts'
import { bot } from '../state/people.ts'
import { hasTopics } from '../state/topics.ts'
import { words } from '../words/language.ts'
import { ChatHeader } from './chat-header.tsx'

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

/** Shows the bot's description of itself in a chat without messages. */
function Greeting() {
  const described = bot.value
  if (described === undefined) return <div class="greeting" />
  const { shell } = words.value
  const lines = described.description.split('\n')
  return (
    <div class="greeting">
      <div class="greeting-card">
        <Avatar id={described.me.id} name={nameOf(described.me)} />
        <h2>{shell.whatItDoes}</h2>
        {described.description === '' ? (
          <p class="hint">{shell.noDescription}</p>
        ) : (
          // Lines of a text have no names of their own, and never change their order.
          lines.map((line, index) => <p key={`${index}:${line}`}>{line}</p>)
        )}
      </div>
    </div>
  )
}
