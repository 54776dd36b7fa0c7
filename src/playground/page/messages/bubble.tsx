import type { Message } from 'grammy/types'
import type { WireMessage } from '../../web/api.ts'
import { Avatar, tintOf } from '../parts/avatar.tsx'
import { threadOf } from '../state/chats.ts'
import { previewOf } from '../state/describe.ts'
import { authorOf } from '../state/people.ts'
import { formatInstant, formatTime } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { InlineKeyboard } from './buttons.tsx'
import { isPicture, Media } from './media.tsx'
import { menuHandlers, OpenMenuButton } from './menu.tsx'
import { RichBody } from './rich.tsx'
import type { MessageRow } from './rows.ts'
import { EntityText, MessageScopeProvider } from './text.tsx'

export function elementIdOf(messageId: number): string {
  return `message-${messageId}`
}

export function BubbleRow(props: { row: MessageRow; onGo: (messageId: number) => void }) {
  const { wires, isOwn, isFirst, isLast } = props.row
  const [wire] = wires
  if (wire === undefined) return null
  const { message } = wire
  const author = authorOf(message)
  const { type, id: chatId } = message.chat
  const showsAuthor = type !== 'private' && !isOwn
  const threadId = threadOf(wire)
  const looks = [
    'message-row',
    isOwn ? 'message-row-own' : 'message-row-other',
    isFirst && 'message-row-first',
    isLast && 'message-row-last',
  ]
  const target = { chatId, threadId, wires, isOwn }
  return (
    <MessageScopeProvider value={{ chatId, threadId, messageId: message.message_id }}>
      <li class={looks.filter(Boolean).join(' ')}>
        {showsAuthor ? (
          <span class="message-row-face">
            {isLast ? <Avatar id={author.id} name={author.name} look="small" /> : null}
          </span>
        ) : null}
        <div class="message-row-inside">
          <article
            id={elementIdOf(message.message_id)}
            class="bubble"
            aria-label={`${author.name}, ${formatInstant(message.date)}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: Enter opens the menu of the message.
            tabIndex={0}
            {...menuHandlers(target)}
          >
            {showsAuthor && isFirst ? (
              <p class="author tinted cut" style={tintOf(author.id)}>
                {author.name}
              </p>
            ) : null}
            <ReplyHeader message={message} onGo={props.onGo} />
            <Body wires={wires} />
            <OpenMenuButton target={target} />
          </article>
          <InlineKeyboard markup={message.reply_markup} />
        </div>
      </li>
    </MessageScopeProvider>
  )
}

function ReplyHeader({ message, onGo }: { message: Message; onGo: (messageId: number) => void }) {
  const { reply_to_message: replied, quote } = message
  // In a topic, Telegram reports the topic's first message as the one that is replied to.
  if (replied === undefined || replied.forum_topic_created !== undefined) return null
  const author = authorOf(replied)
  return (
    <button
      type="button"
      class="reply tinted"
      style={tintOf(author.id)}
      onClick={() => onGo(replied.message_id)}
    >
      <span class="reply-author cut">{author.name}</span>
      {quote === undefined ? (
        <span class="cut">{previewOf(replied)}</span>
      ) : (
        <span class="reply-quoted">{quote.text}</span>
      )}
    </button>
  )
}

function Body({ wires }: { wires: readonly WireMessage[] }) {
  // An album has one caption.
  const wire = wires.find(({ message }) => message.caption) ?? wires[0]
  if (wire === undefined) return null
  const { message } = wire
  const text = message.text ?? message.caption ?? ''
  const entities = message.text === undefined ? message.caption_entities : message.entities
  const meta = <Meta message={message} />
  return (
    <>
      <Media wires={wires} />
      {message.rich_message === undefined ? null : <RichBody rich={message.rich_message} />}
      {text === '' ? (
        <div class={isPicture(message) ? 'foot foot-over' : 'foot'}>{meta}</div>
      ) : (
        <div class="text" dir="auto">
          <EntityText text={text} entities={entities} />
          {meta}
        </div>
      )}
    </>
  )
}

function Meta({ message }: { message: Message }) {
  const { date, edit_date: editDate } = message
  return (
    <span class="meta">
      {editDate === undefined ? null : (
        <span title={formatInstant(editDate)}>{words.value.message.edited} </span>
      )}
      <time dateTime={new Date(date * 1000).toISOString()} title={formatInstant(date)}>
        {formatTime(date)}
      </time>
    </span>
  )
}
