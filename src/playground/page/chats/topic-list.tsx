import { useState } from 'preact/hooks'
import { NameDialog } from '../dialogs/name-dialog.tsx'
import { colourOf } from '../parts/avatar.tsx'
import { Icon } from '../parts/icons.tsx'
import { act } from '../request.ts'
import { hrefOf, show } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { messagesOf } from '../state/topics.ts'
import { unreadOf } from '../state/unread.ts'
import { formatMoment } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { Entry } from './entry.tsx'
import { LastLine } from './last-line.tsx'

/** Lists the topics of a forum, the liveliest first, General above all. */
export function TopicList({ chat }: { chat: ChatState }) {
  const [isAsking, setAsking] = useState(false)
  const { shell } = words.value
  const info = chat.info.value
  const topics = info.topics.toSorted(
    (one, other) => lastIn(chat, other.thread_id) - lastIn(chat, one.thread_id),
  )
  return (
    <div class="topics">
      <ul class="topic-list">
        {info.chat.type === 'private' ? null : (
          <li>
            <TopicRow chat={chat} threadId={0} name={shell.general} isClosed={false} />
          </li>
        )}
        {topics.map((topic) => (
          <li key={topic.thread_id}>
            <TopicRow
              chat={chat}
              threadId={topic.thread_id}
              name={topic.name}
              isClosed={topic.is_closed}
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
          done={shell.create}
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

function TopicRow(props: { chat: ChatState; threadId: number; name: string; isClosed: boolean }) {
  const { chat, threadId, name } = props
  const last = messagesOf(chat.info.value, chat.messages.value, threadId).at(-1)
  return (
    <Entry
      href={hrefOf({ threadId })}
      isCurrent={false}
      face={
        <span class="topic-face" data-colour={colourOf(threadId)} aria-hidden="true">
          {threadId === 0 ? '#' : ([...name][0]?.toUpperCase() ?? '')}
        </span>
      }
      title={name}
      mark={props.isClosed ? <span class="tag">{words.value.shell.closed}</span> : null}
      time={last === undefined ? '' : formatMoment(last.message.date)}
      line={<LastLine chat={chat} threadId={threadId} last={last} />}
      unread={unreadOf(chat, threadId)}
    />
  )
}

function lastIn(chat: ChatState, threadId: number): number {
  const last = messagesOf(chat.info.value, chat.messages.value, threadId).at(-1)
  return last?.message.message_id ?? 0
}
