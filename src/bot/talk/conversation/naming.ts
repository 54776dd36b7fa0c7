import { Composer } from 'grammy'
import type { Message } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { shortenLine } from '../../locales/shorten.ts'
import type { Texts } from '../../locales/texts.ts'
import { withoutMentions } from '../../telegram/addressing/address.ts'
import { type ChatThread, threadOf } from '../../telegram/addressing/chat-thread.ts'
import { mentionFirst } from '../../telegram/addressing/mention-first.ts'
import type { BotContext, Sender } from '../../telegram/addressing/sender.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import { sendBestEffort } from '../../telegram/outbox/send-best-effort.ts'
import { TITLE_CHARS_MAX } from './conversation-title.ts'

export interface NamingDeps {
  prisma: Pick<PrismaClient, 'conversation'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  log: Logger
}

/** A conversation that is to be named, and the user who wants to name it. */
export interface NameWish extends ChatThread {
  id: bigint
  title: string
  user: Sender
}

/** Lets users name conversations: each reply to the message that asked gives the name, a later one another. */
export function createNaming({ prisma, outbox, texts, log }: NamingDeps) {
  return { ask, updates: listen() }

  async function ask({ id, chatId, threadId, title, user }: NameWish): Promise<void> {
    const t = (key: string, facts?: Record<string, string>) =>
      texts.t(user.languageCode, key, facts)
    const { name, entities } = mentionFirst(user)
    const text = t('chat-name-ask', { name, title })
    const replyHint = t('chat-name-hint')
    const asking = await send({ chatId, threadId, text, entities, replyHint })
    if (asking === undefined) return
    const data = { namingMessageId: asking.messageId }
    await prisma.conversation.updateMany({ where: { id, chatId, threadId }, data })
  }

  function listen(): Composer<BotContext> {
    const composer = new Composer<BotContext>()
    composer.on('message:text', async ({ message, me, sender }, next) => {
      const isPrivate = message.chat.type === 'private'
      const text = isPrivate ? message.text : withoutMentions(message, me)
      const title = shortenLine(text, TITLE_CHARS_MAX)
      const isNamed = title !== '' && (await name(message, { title, titleAuthorId: sender.id }))
      if (!isNamed) return next()
      await send({
        ...threadOf(message),
        text: texts.t(sender.languageCode, 'chat-named', { title }),
      })
    })
    return composer
  }

  /** @returns Whether the message answers one that asked for a name. */
  async function name(
    message: Message,
    data: { title: string; titleAuthorId: number },
  ): Promise<boolean> {
    const asking = message.reply_to_message
    if (asking === undefined) return false
    const where = { ...threadOf(message), namingMessageId: asking.message_id }
    return (await prisma.conversation.updateMany({ where, data })).count > 0
  }

  /** Sends a message once, even if it may be lost: the button can be pressed once more. */
  function send(message: Parameters<Outbox['send']>[0]) {
    const once = { chatId: message.chatId, ifLost: 'naming maybe not shown', log }
    return sendBestEffort(() => outbox.send(message), once)
  }
}

export type Naming = ReturnType<typeof createNaming>
