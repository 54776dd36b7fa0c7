import { useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import { attempt } from '../dialogs/attempt.ts'
import { route } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { loadOlder } from '../state/chats.ts'
import { messagesOf } from '../state/topics.ts'
import { words } from '../words/language.ts'
import { DraftRow } from './bubble/draft-row.tsx'
import { createRowReader, lastBubbleKey } from './bubble/rows.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { ActionLine } from './list/action-line.tsx'
import { EndButton } from './list/end-button.tsx'
import { goToMessage } from './list/go-to-message.ts'
import { moveThroughMessages } from './list/move-through-messages.ts'
import { PinnedBar } from './list/pinned-bar.tsx'
import { RowsOf } from './list/rows-of.tsx'
import { useScroll } from './list/use-scroll.ts'
import { Viewer } from './media/viewer.tsx'
import { MessageMenu } from './menu/message-menu.tsx'
import { followAnswers } from './rich/presses.ts'

/** So near to the first message older ones are loaded, in pixels. */
const ABOVE_PX = 900

/** Shows the messages of a chat, or of one topic of it. */
export function Messages({ chat, threadId }: { chat: ChatState; threadId: number }) {
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const current = useSignal<string | undefined>(undefined)
  const isLoading = useRef(false)
  const rowReader = useMemo(createRowReader, [])
  const { isAtEnd, toEnd, leaveEnd } = useScroll({ scroller, list }, loadAbove)
  useEffect(followAnswers, [])
  const goTo = useCallback((id: number) => void goToMessage(chat, id, leaveEnd), [chat])

  const { as } = route.value
  const messages = messagesOf(chat.info.value, chat.messages.value, threadId)
  const last = messages.at(-1)?.message
  const lastOwnId = messages.findLast(({ message }) => message.from?.id === as)?.message.message_id
  useEffect(() => {
    // Who writes wants to see it, and what is answered.
    if (last !== undefined && last.message_id === lastOwnId) toEnd(false)
  }, [lastOwnId])

  const chunks = rowReader.read(messages, as)
  const currentKey = current.value ?? lastBubbleKey(chunks)
  const draft = chat.drafts.value.get(threadId)
  const text = words.value.message
  const isEmpty = chunks.length === 0 && draft === undefined && !chat.hasMore.value
  return (
    <div class="messages">
      <PinnedBar chat={chat} threadId={threadId} onGo={goTo} />
      <div class="messages-window" ref={scroller}>
        {isEmpty ? <p class="plate messages-none">{text.none}</p> : null}
        <ol class="thread" ref={list} aria-label={text.list} onKeyDown={moveThroughMessages}>
          {chunks.map((chunk) => (
            <RowsOf
              key={chunk.key}
              chunk={chunk}
              chat={chat}
              currentKey={chunk.rows.some(({ key }) => key === currentKey) ? currentKey : undefined}
              current={current}
              onGo={goTo}
            />
          ))}
          {draft === undefined ? null : (
            <DraftRow key={`draft ${draft.draft_id}`} chat={chat} draft={draft} />
          )}
        </ol>
        <ActionLine action={draft === undefined ? chat.actions.value.get(threadId) : undefined} />
      </div>
      <EndButton isAtEnd={isAtEnd} messages={messages} as={as} onPress={() => toEnd(true)} />
      <MessageMenu />
      <DeleteDialog />
      <Viewer />
    </div>
  )

  function loadAbove(above: number): void {
    if (above > ABOVE_PX || isLoading.current || !chat.hasMore.peek()) return
    isLoading.current = true
    void attempt(() => loadOlder(chat)).then((isLoaded) => {
      // After a refusal the next one is asked for by the next scroll at the earliest.
      isLoading.current = false
      return isLoaded
    })
  }
}
