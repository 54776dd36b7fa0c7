import type { Message } from 'grammy/types'
import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import type { BotContext } from '../addressing/sender.ts'
import { toPrompt } from '../addressing/to-prompt.ts'
import { errorFacts } from '../error-facts.ts'
import { NotHandledError } from '../telegram/inbox.ts'
import type { Outbox } from '../telegram/outbox.ts'
import type { Texts } from '../texts.ts'
import { NoModelError } from './models.ts'
import type { Replies } from './replies.ts'
import type { Prompt } from './turns.ts'

type TextContext = Pick<BotContext, 'update' | 'sender' | 'me'> & {
  message: Message & { text: string }
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
    const prompt = toPrompt(ctx.message, ctx)
    if (prompt.text === '') return say(prompt, 'prompt-missing')
    try {
      const { settled } = await replies.reply(prompt)
      onUnsettled(ctx.update.update_id, settled)
    } catch (error) {
      if (error instanceof NotHandledError) throw error
      log.error({ ...errorFacts(error), updateId: ctx.update.update_id }, 'message not answered')
      await say(prompt, apologyFor(error))
    }
  }

  async function say({ chatId, threadId, user }: Prompt, key: string): Promise<void> {
    await outbox.send({ chatId, threadId, text: texts.t(user.languageCode, key) })
  }
}

function apologyFor(error: unknown): string {
  if (error instanceof NoModelError) return 'model-none'
  return error instanceof ServiceError ? 'service-unavailable' : 'reply-failed'
}
