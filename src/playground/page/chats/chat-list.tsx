import type { ComponentChildren } from 'preact'
import type { WireMessage } from '../../web/api.ts'
import { Avatar } from '../parts/avatar.tsx'
import type { ChatState } from '../state/chat-state.ts'
import { chats, chatsInOrder } from '../state/chats.ts'
import { contentOf, isTyping, previewOf } from '../state/describe.ts'
import { bot, faceOf, nameNow, titleOf } from '../state/people.ts'
import { hrefOf, route } from '../state/route.ts'
import { unreadOf } from '../state/unread.ts'
import { formatMoment } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { AccountMenu } from './account-menu.tsx'

/** Shows the current person and the chats; below them, while demo models answer, how to use own keys. */
export function Sidebar() {
  const { shell } = words.value
  const setupCommand = bot.value?.setup_command ?? null
  return (
    <nav class="sidebar" aria-label={shell.chats}>
      <header class="sidebar-header">
        <AccountMenu />
      </header>
      {chats.value === undefined ? (
        <p class="sidebar-note">{shell.starting}</p>
      ) : (
        <ul class="chat-list">
          {chatsInOrder.value.map((chat) => (
            <li key={chat.id}>
              <ChatRow chat={chat} />
            </li>
          ))}
        </ul>
      )}
      {setupCommand === null ? null : (
        <p class="sidebar-foot hint small">
          {shell.demo} <code>{setupCommand}</code>
        </p>
      )}
    </nav>
  )
}

function ChatRow({ chat }: { chat: ChatState }) {
  const { chat: about } = chat.info.value
  return (
    <Entry
      href={hrefOf({ chatId: chat.id })}
      isCurrent={route.value.chatId === chat.id}
      face={<Avatar id={faceOf(about)} name={titleOf(about)} />}
      title={titleOf(about)}
      chat={chat}
      last={chat.messages.value.at(-1)}
    />
  )
}

/** Shows a chat or a topic in a list: name, time, last message, number of unread messages. */
export function Entry(props: {
  href: string
  isCurrent: boolean
  face: ComponentChildren
  title: string
  chat: ChatState
  /** Undefined for a whole chat. */
  threadId?: number
  last: WireMessage | undefined
}) {
  const { chat, threadId, last } = props
  const unread = unreadOf(chat, threadId)
  return (
    <a class="entry" href={props.href} aria-current={props.isCurrent ? 'page' : undefined}>
      {props.face}
      <span class="entry-head">
        <span class="entry-title cut">{props.title}</span>
        <span class="entry-time num">
          {last === undefined ? '' : formatMoment(last.message.date)}
        </span>
      </span>
      <span class="entry-foot">
        <span class="entry-line cut">
          {isTyping(chat, threadId) ? (
            <span class="doing">{words.value.shell.typing}</span>
          ) : (
            <LastLine chat={chat} last={last} />
          )}
        </span>
        {unread === 0 ? null : (
          <span class="count num">
            <span aria-hidden="true">{unread}</span>
            <span class="unseen">{words.value.shell.unread(unread)}</span>
          </span>
        )}
      </span>
    </a>
  )
}

function LastLine({ chat, last }: { chat: ChatState; last: WireMessage | undefined }) {
  const { message, shell } = words.value
  if (last === undefined) {
    return <>{chat.info.value.is_started ? message.none : shell.notMet}</>
  }
  const author = authorOf(chat, last)
  return (
    <>
      {author === undefined ? null : <span class="entry-author">{author}: </span>}
      {previewOf(last.message)}
    </>
  )
}

/** In a chat of two only own messages name their author. */
function authorOf(chat: ChatState, { message }: WireMessage): string | undefined {
  if (message.from === undefined || contentOf(message) === undefined) return undefined
  if (message.from.id === route.value.as) return words.value.shell.you
  return chat.info.value.chat.type === 'private' ? undefined : nameNow(message.from)
}
