import type { Message, Update, User } from 'grammy/types'
import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import { errorFacts } from '../error-facts.ts'
import { NotHandledError } from '../telegram/inbox.ts'
import type { Outbox } from '../telegram/outbox.ts'
import type { Texts } from '../texts.ts'
import { NoModelError } from './models.ts'
import type { Replies } from './replies.ts'
import type { Prompt } from './turns.ts'

/** What of grammY's context is needed. */
interface TextContext {
  update: Update
  message: Message & { text: string }
  from: User
}

export interface AnswerTextDeps {
  replies: Pick<Replies, 'reply'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  log: Logger
  /** Told what is left to be done of an update when its chat may go on. */
  onUnsettled: (updateId: number, settled: Promise<void>) => void
}

/** Answers a text message, or says in a sentence that it cannot. */
export function createAnswerText({ replies, outbox, texts, log, onUnsettled }: AnswerTextDeps) {
  return async (ctx: TextContext): Promise<void> => {
    const prompt = toPrompt(ctx)
    try {
      const { settled } = await replies.reply(prompt)
      onUnsettled(ctx.update.update_id, settled)
    } catch (error) {
      if (error instanceof NotHandledError) throw error
      log.error({ ...errorFacts(error), updateId: ctx.update.update_id }, 'message not answered')
      const { chatId, threadId, user } = prompt
      await outbox.send({ chatId, threadId, text: texts.t(user.languageCode, apologyFor(error)) })
    }
  }
}

function apologyFor(error: unknown): string {
  if (error instanceof NoModelError) return 'model-none'
  return error instanceof ServiceError ? 'service-unavailable' : 'reply-failed'
}

function toPrompt({ message, from }: TextContext): Prompt {
  return {
    chatId: message.chat.id,
    threadId: (message.is_topic_message && message.message_thread_id) || 0,
    messageId: message.message_id,
    text: message.text,
    user: {
      id: from.id,
      firstName: from.first_name,
      username: from.username,
      languageCode: from.language_code,
    },
  }
}
