import type { WireChat } from '../../web/api.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Icon } from '../parts/icons.tsx'
import { attempt } from '../parts/notices.tsx'
import { act } from '../state/request.ts'
import { hrefOf, show } from '../state/route.ts'
import { words } from '../words/language.ts'
import { Entry, lastIn } from './chat-list.tsx'

/** Lists the topics of a forum, the latest message first; General comes before them. */
export function TopicList({ chat }: { chat: WireChat }) {
  const { shell } = words.value
  const lastId = (threadId: number) => lastIn(chat, threadId)?.message.message_id ?? 0
  const topics = chat.topics.toSorted(
    (one, other) => lastId(other.thread_id) - lastId(one.thread_id),
  )
  if (chat.chat.type !== 'private') topics.unshift({ thread_id: 0, name: shell.general })
  return (
    <div class="topics">
      <ul class="chat-list scroll">
        {topics.map(({ thread_id: threadId, name }) => (
          <li key={threadId}>
            <Entry
              href={hrefOf({ threadId })}
              face={<Avatar id={threadId} name={threadId === 0 ? '#' : name} look="small topic" />}
              title={name}
              chat={chat}
              threadId={threadId}
            />
          </li>
        ))}
      </ul>
      <button type="button" class="button topic-new" onClick={() => addTopic(chat.chat.id)}>
        <Icon name="add" />
        {shell.newTopic}
      </button>
    </div>
  )
}

function addTopic(chatId: number): void {
  const name = prompt(words.value.shell.topicName)?.trim()
  if (!name) return
  void attempt(async () => {
    show({ threadId: (await act('/chats/:id/topics', { name }, chatId)).thread_id })
  })
}
