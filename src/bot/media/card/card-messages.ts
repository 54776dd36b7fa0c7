import type { Logger } from 'pino'
import type { Texts } from '../../locales/texts.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import type { MessageRef, Outbox, OutgoingMessage } from '../../telegram/outbox/outbox.ts'
import { sendBestEffort } from '../../telegram/outbox/send-best-effort.ts'
import type { Card, CardStore } from './card-store.ts'
import type { CardView } from './card-view.ts'

/** The message that a sentence answers. */
export interface Answered extends ChatThread {
  messageId: number
}

export interface CardMessagesDeps {
  store: Pick<CardStore, 'recordMessage'>
  outbox: Pick<Outbox, 'send' | 'edit'>
  texts: Texts
  log: Logger
}

/** Sends and changes the messages of cards. */
export function createCardMessages({ store, outbox, texts, log }: CardMessagesDeps) {
  return { show, change, say }

  /** Shows a card that is not shown yet and, where it waits for the words, asks for them. */
  async function show(card: Card, { text, keyboard }: CardView): Promise<void> {
    const { id, chatId, threadId, replyToMessageId, cardMessageId, askMessageId } = card
    const answered = { chatId, threadId, messageId: replyToMessageId }
    if (cardMessageId === undefined) {
      const sent = await send(answered, { text, keyboard })
      if (sent) await store.recordMessage(id, { cardMessageId: sent.messageId })
    }
    if (card.state === 'words' && askMessageId === undefined) {
      // A message has either buttons or a reply that opens by itself, so that there are two.
      const sent = await send(answered, askFor(card))
      if (sent) await store.recordMessage(id, { askMessageId: sent.messageId })
    }
  }

  /** Gives the message of a card another look. One that was deleted is left at that. */
  async function change(target: MessageRef, { text, keyboard }: CardView): Promise<void> {
    await outbox.edit(target, text, { keyboard })
  }

  /** Answers a message with a sentence. */
  async function say(answered: Answered, text: string): Promise<void> {
    await send(answered, { text })
  }

  function askFor({ kind, picture, user }: Card) {
    const facts = { kind, motion: String(picture !== undefined) }
    const text = texts.t(user.languageCode, 'card-ask', facts)
    return { text, replyHint: texts.t(user.languageCode, 'card-ask-hint', facts) }
  }

  /** One that may be lost is not sent again: what asked for it can be typed again. */
  function send(
    { chatId, threadId, messageId: replyToMessageId }: Answered,
    content: Pick<OutgoingMessage, 'keyboard' | 'replyHint'> & { text: string },
  ): Promise<MessageRef | undefined> {
    const message = { chatId, threadId, replyToMessageId, ...content }
    const once = { chatId, ifLost: 'card maybe not shown', log }
    return sendBestEffort(() => outbox.send(message), once)
  }
}

export type CardMessages = ReturnType<typeof createCardMessages>
