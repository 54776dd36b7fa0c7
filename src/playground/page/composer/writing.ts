import { type Signal, signal, useSignal } from '@preact/signals'
import type { ForceReply } from 'grammy/types'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import type { WireChat, WireMessage } from '../../web/api.ts'
import { attempt } from '../parts/notices.tsx'
import { messagesOf } from '../state/chats.ts'
import {
  type ChatThread,
  type Intent,
  intentOf,
  keepDraft,
  readDraft,
  setIntent,
  threadKey,
} from '../state/drafts.ts'
import { act } from '../state/request.ts'
import { route } from '../state/route.ts'
import { inOrder } from './in-order.ts'

/** Messages with ForceReply whose bar the person closed: `CHAT/MESSAGE`. */
const dismissed = signal<ReadonlySet<string>>(new Set())

export interface Writing {
  thread: ChatThread
  text: Signal<string>
  intent: Intent | undefined
  /** Asked for by the bot; empty without. */
  placeholder: string
  dropIntent: () => boolean
  send: () => void
  sendText: (text: string) => Promise<boolean>
  editLast: () => boolean
  /** Restores a text that was not sent, unless something else is being written. */
  restore: (written: string) => void
  takeReply: () => number | undefined
}

export function useWriting(chat: WireChat, threadId: number): Writing {
  const author = route.value.as
  const { id: chatId } = chat.chat
  const thread = { chatId, threadId }
  const draft = useSignal(readDraft(author, thread))
  const edited = useSignal('')
  const messages = messagesOf(chat, threadId)
  const asking = findForceReply(messages, author)
  const askingKey = `${chatId}/${asking?.message.message_id}`
  const isAsked = asking !== undefined && !dismissed.value.has(askingKey)
  const forced = isAsked ? ({ type: 'reply', message: asking } as const) : undefined
  const intent: Intent | undefined = intentOf(thread) ?? forced
  const isEdit = intent?.type === 'edit'
  const text = isEdit ? edited : draft
  const markup = asking?.keyboard as ForceReply | undefined

  // Before anything can be typed.
  useLayoutEffect(() => {
    if (isEdit) edited.value = intent.message.message.text ?? ''
  }, [isEdit && intent.message.message.message_id])
  useEffect(
    () => draft.subscribe((now) => keepDraft(author, thread, now)),
    [author, chatId, threadId],
  )

  return {
    thread,
    text,
    intent,
    placeholder: markup?.input_field_placeholder ?? '',
    dropIntent,
    send,
    sendText,
    editLast,
    restore,
    takeReply,
  }

  function dropIntent(): boolean {
    if (intent === undefined) return false
    if (intent === forced) dismissed.value = new Set(dismissed.value).add(askingKey)
    setIntent(thread, undefined)
    return true
  }

  function send(): void {
    const written = text.value.trim()
    if (written === '') return
    if (isEdit) {
      void saveEdit(written)
      return
    }
    draft.value = ''
    void sendText(written).then((isSent) => {
      if (!isSent) restore(written)
    })
  }

  function restore(written: string): void {
    if (readDraft(author, thread) !== '') return
    draft.value = written
    // Also if another chat shows.
    keepDraft(author, thread, written)
  }

  function sendText(written: string): Promise<boolean> {
    const quote = intent?.type === 'reply' ? intent.quote : undefined
    const replyTo = takeReply()
    const body = {
      text: written,
      ...(threadId !== 0 && { thread_id: threadId }),
      ...(replyTo !== undefined && { reply_to_message_id: replyTo }),
      ...(quote !== undefined && { quote }),
    }
    const send = () => act('/chats/:id/messages', body, chatId)
    return attempt(() => inOrder(threadKey(thread), send))
  }

  /** The bar stays until the change is saved: a refused text can be corrected. */
  async function saveEdit(written: string): Promise<void> {
    if (intent?.type !== 'edit') return
    const { message_id, text: before } = intent.message.message
    const body = { message_id, text: written }
    const isSaved =
      written === before || (await attempt(() => act('/chats/:id/edits', body, chatId)))
    if (isSaved) setIntent(thread, undefined)
  }

  function takeReply(): number | undefined {
    if (intent?.type !== 'reply') return undefined
    dropIntent()
    return intent.message.message.message_id
  }

  function editLast(): boolean {
    const last = messages.findLast(({ message: { from, text } }) => {
      return from?.id === author && text !== undefined
    })
    if (last !== undefined) setIntent(thread, { type: 'edit', message: last })
    return last !== undefined
  }
}

/** Finds the last message that asks the person for a reply, unless they have written since. */
function findForceReply(
  messages: readonly WireMessage[],
  userId: number | undefined,
): WireMessage | undefined {
  const index = messages.findLastIndex((wire) => asks(wire, userId))
  const isAnswered = messages.slice(index + 1).some(({ message }) => message.from?.id === userId)
  return isAnswered ? undefined : messages[index]
}

function asks({ message, keyboard }: WireMessage, userId: number | undefined): boolean {
  if (keyboard === undefined) return false
  const isForAll = keyboard.selective !== true || message.chat.type === 'private'
  const { entities = [], reply_to_message: replied } = message
  const isMentioned = entities.some((one) => one.type === 'text_mention' && one.user.id === userId)
  return isForAll || isMentioned || replied?.from?.id === userId
}
