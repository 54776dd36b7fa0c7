import type { ComponentChildren } from 'preact'
import type { WireChat, WireMessage } from '../../web/api.ts'
import { Avatar } from '../parts/avatar.tsx'
import { chats, chatsInOrder, historyOf, isTyping, messagesOf } from '../state/chats.ts'
import { contentOf, previewOf } from '../state/describe.ts'
import { bot, faceOf, nameNow, titleOf } from '../state/people.ts'
import { hrefOf, route } from '../state/route.ts'
import { unreadOf } from '../state/unread.ts'
import { formatMoment } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { AccountMenu } from './account-menu.tsx'

/** Shows the current person and the chats; below them, while demo models answer, how to use own keys. */
export function Sidebar() {
  const { shell } = words.value
  const setupCommand = bot.value?.setup_command
  return (
    <nav class="sidebar" aria-label={shell.chats}>
      <header class="sidebar-header">
        <AccountMenu />
      </header>
      {chats.value === undefined ? <p class="sidebar-note hint">{shell.starting}</p> : null}
      <ul class="chat-list scroll">
        {chatsInOrder.value.map((chat) => (
          <li key={chat.chat.id}>
            <Entry
              href={hrefOf({ chatId: chat.chat.id })}
              isCurrent={route.value.chatId === chat.chat.id}
              face={<Avatar id={faceOf(chat.chat)} name={titleOf(chat.chat)} />}
              title={titleOf(chat.chat)}
              chat={chat}
            />
          </li>
        ))}
      </ul>
      {setupCommand == null ? null : (
        <p class="sidebar-foot hint small">
          {shell.demo} <code>{setupCommand}</code>
        </p>
      )}
    </nav>
  )
}

/** Shows a chat or a topic in a list: name, time, last message, number of unread messages. */
export function Entry(props: {
  href: string
  isCurrent?: boolean
  face: ComponentChildren
  title: string
  chat: WireChat
  /** Undefined for a whole chat. */
  threadId?: number
}) {
  const { chat, threadId } = props
  const { shell } = words.value
  const unread = unreadOf(chat, threadId)
  const last = lastIn(chat, threadId)
  return (
    <a class="entry" href={props.href} aria-current={props.isCurrent ? 'page' : undefined}>
      {props.face}
      <span class="row">
        <span class="entry-title cut">{props.title}</span>
        <span class="hint small num">
          {last === undefined ? '' : formatMoment(last.message.date)}
        </span>
      </span>
      <span class="row">
        <span class="hint cut fill">
          {isTyping(chat, threadId) ? (
            <span class="doing">{shell.typing}</span>
          ) : (
            <LastLine chat={chat} last={last} />
          )}
        </span>
        {unread === 0 ? null : (
          <span class="count num">
            <span aria-hidden="true">{unread}</span>
            <span class="unseen">{shell.unread(unread)}</span>
          </span>
        )}
      </span>
    </a>
  )
}

export function lastIn(chat: WireChat, threadId?: number): WireMessage | undefined {
  const { messages } = historyOf(chat.chat.id)
  return (threadId === undefined ? messages : messagesOf(chat, threadId)).at(-1)
}

function LastLine({ chat, last }: { chat: WireChat; last: WireMessage | undefined }) {
  const { message, shell } = words.value
  if (last === undefined) return <>{chat.is_started ? message.none : shell.notMet}</>
  const author = authorOf(chat, last)
  return (
    <>
      {author === undefined ? null : <span class="entry-author">{author}: </span>}
      {previewOf(last.message)}
    </>
  )
}

/** In a chat of two only own messages name their author. */
function authorOf({ chat }: WireChat, { message }: WireMessage): string | undefined {
  if (message.from === undefined || contentOf(message) === undefined) return undefined
  if (message.from.id === route.value.as) return words.value.shell.you
  return chat.type === 'private' ? undefined : nameNow(message.from)
}
