import type { Signal } from '@preact/signals'
import { Avatar, colourOf } from '../../parts/avatar.tsx'
import { authorOf, originName } from '../../state/authors.ts'
import type { ChatState } from '../../state/chat-state.ts'
import { threadOf } from '../../state/topics.ts'
import { formatInstant } from '../../words/dates.ts'
import { words } from '../../words/language.ts'
import { menuHandlers } from '../menu/menu-gestures.ts'
import { OpenMenuButton } from '../menu/open-menu-button.tsx'
import { MessageScopeProvider } from '../message-scope.ts'
import { InlineKeyboard } from '../rich/inline-keyboard.tsx'
import { BubbleBody } from './bubble-body.tsx'
import { isBare } from './content.tsx'
import { elementIdOf } from './element-id.ts'
import { ReplyHeader } from './reply-header.tsx'
import type { MessageRow } from './rows.ts'

interface BubbleRowProps {
  row: MessageRow
  chat: ChatState
  /** The one message that Tab leads to; arrows lead on from there. */
  isCurrent: boolean
  /** Becomes the row's key when the keyboard comes to it. */
  current: Signal<string | undefined>
  onGo: (messageId: number) => void
}

/**
 * A message or an album with its buttons. It reads signals, which makes Preact draw it again only when one of
 * them or a property has changed.
 */
export function BubbleRow({ row, chat, isCurrent, current, onGo }: BubbleRowProps) {
  const { wires, isOwn, isFirst, isLast } = row
  const [wire] = wires
  if (wire === undefined) return null
  const { message } = wire
  const author = authorOf(message)
  const isGroup = chat.info.value.chat.type !== 'private'
  const showsAuthor = isGroup && !isOwn
  const origin = message.forward_origin
  const { forwardedFrom, messageBy } = words.value.message
  const threadId = threadOf(wire)
  const looks = [
    'message-row',
    isOwn ? 'message-row-own' : 'message-row-other',
    isFirst && 'message-row-first',
    isLast && 'message-row-last',
  ]
  const target = { chat, threadId, wires, isOwn }
  return (
    <MessageScopeProvider value={{ chat, threadId, messageId: message.message_id }}>
      <li class={looks.filter(Boolean).join(' ')}>
        {showsAuthor ? (
          <span class="message-row-face">
            {isLast ? <Avatar id={author.id} name={author.name} size="small" /> : null}
          </span>
        ) : null}
        <div class="message-row-inside">
          <article
            id={elementIdOf(message.message_id)}
            class={isBare(message) ? 'bubble bubble-bare' : 'bubble'}
            aria-label={messageBy(author.name, formatInstant(message.date))}
            tabIndex={isCurrent ? 0 : -1}
            onFocus={() => {
              current.value = row.key
            }}
            {...menuHandlers(target)}
          >
            {showsAuthor && isFirst ? (
              <p class="author cut" data-colour={colourOf(author.id)}>
                {author.name}
              </p>
            ) : null}
            {origin === undefined ? null : (
              <p class="forwarded small">{forwardedFrom(originName(origin))}</p>
            )}
            <ReplyHeader message={message} onGo={onGo} />
            <BubbleBody wires={wires} pinned={chat.info.value.pinned} />
            <OpenMenuButton target={target} />
          </article>
          <InlineKeyboard markup={message.reply_markup} />
        </div>
      </li>
    </MessageScopeProvider>
  )
}
