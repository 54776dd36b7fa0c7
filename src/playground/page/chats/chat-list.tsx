import { Avatar } from '../parts/avatar.tsx'
import { hrefOf, route } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { chats } from '../state/chats.ts'
import { faceOf, titleOf } from '../state/names.ts'
import { unreadOf } from '../state/unread.ts'
import { formatMoment } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { Entry } from './entry.tsx'
import { LastLine } from './last-line.tsx'
import { found, sought } from './sought.ts'

/** The chats that the person is in and looks for, the liveliest first. */
export function ChatList() {
  const { shell } = words.value
  if (chats.value === undefined) return <p class="sidebar-note">{shell.starting}</p>
  if (found.value.length === 0) {
    return <p class="sidebar-note">{sought.value === '' ? shell.noChats : shell.notFound}</p>
  }
  return (
    <ul class="chat-list">
      {found.value.map((chat) => (
        <li key={chat.id}>
          <ChatRow chat={chat} />
        </li>
      ))}
    </ul>
  )
}

function ChatRow({ chat }: { chat: ChatState }) {
  const { chat: about } = chat.info.value
  const last = chat.messages.value.at(-1)
  return (
    <Entry
      href={hrefOf({ chatId: chat.id })}
      isCurrent={route.value.chatId === chat.id}
      face={<Avatar id={faceOf(about)} name={titleOf(about)} />}
      title={titleOf(about)}
      time={last === undefined ? '' : formatMoment(last.message.date)}
      line={<LastLine chat={chat} last={last} />}
      unread={unreadOf(chat)}
    />
  )
}
