import { type Signal, signal, useSignal } from '@preact/signals'
import type { Message, MessageEntity, User } from 'grammy/types'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { attempt } from '../../dialogs/attempt.ts'
import { act } from '../../request.ts'
import { route } from '../../route.ts'
import type { ChatState } from '../../state/chat-state.ts'
import { type Intent, intentOf, setIntent } from '../../state/intent.ts'
import { me } from '../../state/people.ts'
import { messagesOf } from '../../state/topics.ts'
import { threadKey } from '../chat-thread.ts'
import { inOrder } from '../in-order.ts'
import { mentionsIn } from '../mentions.ts'
import { keepDraft, readDraft } from '../text-drafts.ts'
import { type FieldMarkup, fieldMarkupOf } from './keyboard-of.ts'

/** Messages that asked for an answer and whose bar the person closed: `CHAT/MESSAGE`. */
const dismissedReplies = signal<ReadonlySet<string>>(new Set())

/** The field of one chat thread: what is in it, what it is for, and what is done with it. */
export interface Writing {
  chat: ChatState
  threadId: number
  text: Signal<string>
  intent: Intent | undefined
  markup: FieldMarkup | undefined
  /** Ends a reply or an edit. @returns Whether there was one. */
  dropIntent: () => boolean
  /** Remembers who is meant by a name in the text. */
  mention: (user: User) => void
  /** Sends what is in the field. */
  send: () => void
  /** Sends a text that is not in the field, such as a command or a button of the keyboard. */
  sendText: (text: string) => void
  /** Sends the person's contact, which the bot's keyboard asks for. */
  shareContact: () => void
  /** Opens the last own message for a change. @returns Whether there is one. */
  editLast: () => boolean
  /** Puts words back that did not go, where nothing else is being written. */
  giveBack: (written: string) => void
  /** The message that is answered now, for what goes without the field; ends the reply. */
  takeReply: () => number | undefined
}

/** Keeps the text of a chat thread separate from that of a message that is edited. */
export function useWriting(chat: ChatState, threadId: number): Writing {
  const author = route.value.as
  const thread = { chatId: chat.id, threadId }
  const draft = useSignal(readDraft(author, thread))
  const edited = useSignal('')
  const mentioned = useSignal<readonly User[]>([])
  const messages = messagesOf(chat.info.value, chat.messages.value, threadId)
  const markup = me.value === undefined ? undefined : fieldMarkupOf(messages, me.value)
  const intent = intentOf(chat, threadId) ?? forcedReply(chat, markup)
  const isEdit = intent?.type === 'edit'
  const editedId = isEdit ? intent.message.message.message_id : undefined
  const text = isEdit ? edited : draft

  // Before anything can be typed into it.
  useLayoutEffect(() => {
    if (isEdit) edited.value = intent.message.message.text ?? ''
  }, [editedId])
  useEffect(
    () => draft.subscribe((now) => keepDraft(author, thread, now)),
    [author, chat.id, threadId],
  )

  return {
    chat,
    threadId,
    text,
    intent,
    markup,
    dropIntent,
    mention,
    send,
    sendText,
    shareContact,
    editLast,
    giveBack,
    takeReply,
  }

  function dropIntent(): boolean {
    if (intent === undefined) return false
    if (intentOf(chat, threadId) === undefined) dismissReply(chat.id, markup?.messageId)
    setIntent(chat, threadId, undefined)
    return true
  }

  function mention(user: User): void {
    mentioned.value = [...mentioned.value, user]
  }

  function send(): void {
    const written = text.value.trim()
    if (written === '') return
    if (isEdit) void saveEdit(written)
    else {
      const entities = mentionsIn(written, mentioned.value)
      mentioned.value = []
      draft.value = ''
      void post(written, entities).then((isSent) => {
        if (!isSent) giveBack(written)
      })
    }
  }

  /**
   * Gives back a text that was not sent, also where another chat shows by now, unless something else is being
   * written.
   */
  function giveBack(written: string): void {
    if (readDraft(author, thread) !== '') return
    draft.value = written
    keepDraft(author, thread, written)
  }

  function sendText(given: string): void {
    void post(given, [])
  }

  function shareContact(): void {
    const { messageId } = markup ?? {}
    if (messageId === undefined) return
    void attempt(() => act('/chats/:id/contacts', { message_id: messageId }, chat.id))
  }

  function post(written: string, entities: readonly MessageEntity[]): Promise<boolean> {
    const quote = intent?.type === 'reply' ? intent.quote : undefined
    const replyTo = takeReply()
    const body = {
      text: written,
      ...(entities.length > 0 && { entities: [...entities] }),
      ...(threadId !== 0 && { thread_id: threadId }),
      ...(replyTo !== undefined && { reply_to_message_id: replyTo }),
      ...(quote !== undefined && { quote }),
    }
    const send = () => act('/chats/:id/messages', body, chat.id)
    return attempt(() => inOrder(threadKey(thread), send))
  }

  /** The bar stays until the change is there: what was refused can be mended. */
  async function saveEdit(written: string): Promise<void> {
    if (intent?.type !== 'edit') return
    const { message_id, text: before } = intent.message.message
    const body = { message_id, text: written }
    const isSaved =
      written === before || (await attempt(() => act('/chats/:id/edits', body, chat.id)))
    if (isSaved) setIntent(chat, threadId, undefined)
  }

  function takeReply(): number | undefined {
    if (intent?.type !== 'reply') return undefined
    dropIntent()
    return intent.message.message.message_id
  }

  function editLast(): boolean {
    const last = messages.findLast(({ message }) => canEdit(message))
    if (last === undefined) return false
    setIntent(chat, threadId, { type: 'edit', message: last })
    return true
  }
}

/** A message that asks for an answer is answered unless the person closed its bar. */
function forcedReply(chat: ChatState, markup: FieldMarkup | undefined): Intent | undefined {
  const message = markup?.forceReply
  if (message === undefined || dismissedReplies.value.has(`${chat.id}/${markup?.messageId}`)) {
    return undefined
  }
  return { type: 'reply', message }
}

function canEdit({ from, text, forward_origin }: Message): boolean {
  return from?.id === me.value?.id && text !== undefined && forward_origin === undefined
}

/** The message is not answered by what is written next. */
function dismissReply(chatId: number, messageId: number | undefined): void {
  dismissedReplies.value = new Set(dismissedReplies.value).add(`${chatId}/${messageId}`)
}
