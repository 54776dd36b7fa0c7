import { useState } from 'preact/hooks'
import { colourOf } from '../parts/avatar.tsx'
import { NameDialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import type { ChatState } from '../state/chat-state.ts'
import { messagesOf } from '../state/chats.ts'
import { act } from '../state/request.ts'
import { hrefOf, show } from '../state/route.ts'
import { words } from '../words/language.ts'
import { Entry } from './chat-list.tsx'

/** Lists the topics of a forum, the latest message first; General comes before them. */
export function TopicList({ chat }: { chat: ChatState }) {
  const [isAsking, setAsking] = useState(false)
  const { shell } = words.value
  const info = chat.info.value
  const topics = info.topics.map(({ thread_id: threadId, name }) => ({
    threadId,
    name,
    last: lastIn(chat, threadId),
  }))
  topics.sort((one, other) => idOf(other.last) - idOf(one.last))
  if (info.chat.type !== 'private') {
    topics.unshift({ threadId: 0, name: shell.general, last: lastIn(chat, 0) })
  }
  return (
    <div class="topics">
      <ul class="topic-list">
        {topics.map(({ threadId, name, last }) => (
          <li key={threadId}>
            <Entry
              href={hrefOf({ threadId })}
              isCurrent={false}
              face={
                <span class="avatar topic" data-colour={colourOf(threadId)} aria-hidden="true">
                  {threadId === 0 ? '#' : ([...name][0]?.toUpperCase() ?? '')}
                </span>
              }
              title={name}
              chat={chat}
              threadId={threadId}
              last={last}
            />
          </li>
        ))}
      </ul>
      <button type="button" class="button topic-new" onClick={() => setAsking(true)}>
        <Icon name="add" />
        {shell.newTopic}
      </button>
      {isAsking ? (
        <NameDialog
          title={shell.newTopic}
          label={shell.topicName}
          max={128}
          onClose={() => setAsking(false)}
          onDone={async (name) => {
            const made = await act('/chats/:id/topics', { name }, chat.id)
            show({ threadId: made.thread_id })
          }}
        />
      ) : null}
    </div>
  )
}

function lastIn(chat: ChatState, threadId: number) {
  return messagesOf(chat.info.value, chat.messages.value, threadId).at(-1)
}

function idOf(last: ReturnType<typeof lastIn>): number {
  return last?.message.message_id ?? 0
}
