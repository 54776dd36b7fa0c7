import type { Logger } from 'pino'
import type { ChatThread } from '../../telegram/addressing.ts'
import type { MessageRef, Outbox, OutgoingMessage } from '../../telegram/send.ts'
import { sendBestEffort } from '../../telegram/shortcuts.ts'
import type { Card, CardStore } from './card-store.ts'
import type { CardView } from './card-view.ts'

/** The message that a sentence answers. */
export interface Answered extends ChatThread {
  messageId: number
}

export interface CardMessagesDeps {
  store: Pick<CardStore, 'recordMessage'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'remove'>
  log: Logger
}

/** Sends, changes and takes away the messages of cards. */
export function createCardMessages({ store, outbox, log }: CardMessagesDeps) {
  return { show, change, remove: outbox.remove, say }

  async function show(card: Card, { text, keyboard }: CardView): Promise<void> {
    const { id, chatId, threadId, replyToMessageId, cardMessageId } = card
    const target = cardMessageId === undefined ? undefined : { chatId, messageId: cardMessageId }
    const isShown = target && (await outbox.edit(target, text, { keyboard })) === 'shown'
    if (isShown) return
    const sent = await send({ chatId, threadId, messageId: replyToMessageId }, { text, keyboard })
    if (sent) await store.recordMessage(id, sent.messageId)
  }

  async function change(target: MessageRef, { text, keyboard }: CardView): Promise<void> {
    await outbox.edit(target, text, { keyboard })
  }

  async function say(answered: Answered, text: string): Promise<void> {
    await send(answered, { text })
  }

  /** One that may be lost is not sent again: what asked for it can be typed again. */
  function send(
    { chatId, threadId, messageId: replyToMessageId }: Answered,
    content: Pick<OutgoingMessage, 'keyboard'> & { text: string },
  ): Promise<MessageRef | undefined> {
    const message = { chatId, threadId, replyToMessageId, ...content }
    const once = { chatId, ifLost: 'card maybe not shown', log }
    return sendBestEffort(() => outbox.send(message), once)
  }
}

export type CardMessages = ReturnType<typeof createCardMessages>
