import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import type { WireChat } from '../../web/api.ts'
import { IconButton } from '../parts/icons.tsx'
import { attempt, toast } from '../parts/notices.tsx'
import { historyOf, isTyping, loadOlder, messagesOf } from '../state/chats.ts'
import { describeService } from '../state/describe.ts'
import { botName } from '../state/people.ts'
import { route } from '../state/route.ts'
import { daysAgo, formatDay } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { BubbleRow, elementIdOf } from './bubble.tsx'
import { MessageMenu } from './menu.tsx'
import { createRowReader, type Row } from './rows.ts'
import { showFlash, useScroll } from './scroll.ts'

const ABOVE_PX = 900

const PAGES_MAX = 40

export function Messages({ chat, threadId }: { chat: WireChat; threadId: number }) {
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const isLoading = useRef(false)
  const rowReader = useMemo(createRowReader, [])
  const { as } = route.value
  const { id: chatId } = chat.chat
  const messages = messagesOf(chat, threadId)
  const rows = rowReader.read(messages, as)
  const { isAtEnd, toEnd } = useScroll(scroller, list, rows[0]?.key, loadAbove)
  const leaveEnd = () => {
    isAtEnd.value = false
  }
  const goTo = useCallback((id: number) => void goToMessage(chatId, id, leaveEnd), [chatId])
  const last = messages.at(-1)?.message
  const lastOwnId = messages.findLast(({ message }) => message.from?.id === as)?.message.message_id
  useEffect(() => {
    // The person sees what they sent, and the answer.
    if (last !== undefined && last.message_id === lastOwnId) toEnd(false)
  }, [lastOwnId])

  const text = words.value.message
  return (
    <div class="messages">
      <div class="messages-window" ref={scroller}>
        {rows.length === 0 && !historyOf(chatId).has_more ? (
          <p class="plate messages-none">{text.none}</p>
        ) : null}
        <ol class="thread" ref={list} aria-label={text.list}>
          {rows.map((row) => (
            <RowOf key={row.key} row={row} onGo={goTo} />
          ))}
        </ol>
        <p class="action-line row hint small" role="status">
          {isTyping(chat, threadId) ? words.value.shell.isTyping(botName()) : null}
        </p>
      </div>
      {isAtEnd.value ? null : (
        <IconButton class="end-button" icon="down" label={text.toEnd} onClick={() => toEnd(true)} />
      )}
      <MessageMenu />
    </div>
  )

  function loadAbove(above: number): void {
    if (above > ABOVE_PX || isLoading.current || !historyOf(chatId).has_more) return
    isLoading.current = true
    void attempt(() => loadOlder(chatId)).then(() => {
      isLoading.current = false
    })
  }
}

function RowOf({ row, onGo }: { row: Row; onGo: (messageId: number) => void }) {
  // Reading a signal makes Preact compare the properties and skip an unchanged row.
  const { today, yesterday } = words.value.message
  if (row.type === 'bubble') return <BubbleRow row={row} onGo={onGo} />
  const days = row.type === 'day' ? daysAgo(row.date) : 0
  return (
    <li class="note-row">
      <span class="plate">
        {row.type === 'service'
          ? describeService(row.wire.message)
          : days > 1
            ? formatDay(row.date)
            : [today, yesterday][days]}
      </span>
    </li>
  )
}

/** Scrolls to a message and marks it for a moment; loads older messages until it is there. */
async function goToMessage(chatId: number, messageId: number, leaveEnd: () => void): Promise<void> {
  const isLoaded = () =>
    historyOf(chatId).messages.some(({ message }) => message.message_id === messageId)
  // Otherwise the list would follow its end while older messages are loaded.
  leaveEnd()
  for (let page = 0; page < PAGES_MAX && !isLoaded() && historyOf(chatId).has_more; page += 1) {
    if (!(await attempt(() => loadOlder(chatId)))) return
  }
  // Loaded messages are drawn in one frame and keep the scroll position at its end.
  await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  const bubble = document.getElementById(elementIdOf(messageId))
  if (bubble === null) toast(words.value.message.notHere)
  else showFlash(bubble, 'center')
}
