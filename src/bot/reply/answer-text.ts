import type { Message, Update } from 'grammy/types'
import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import { answeredIn, type ChatThread } from '../addressing/chat-thread.ts'
import type { BotContext } from '../addressing/sender.ts'
import { toPrompt } from '../addressing/to-prompt.ts'
import type { Texts } from '../locales/texts.ts'
import { NoModelError } from '../models.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { isNotHandled } from '../telegram/inbox/inbox.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import { sendBestEffort } from '../telegram/outbox/send-best-effort.ts'
import type { Replies, Reply } from './replies.ts'

type UpdateContext = Pick<BotContext, 'update' | 'sender'>
type TextContext = UpdateContext & Pick<BotContext, 'me'> & { message: Message & { text: string } }

/** Has a turn run for an update, and says so in a sentence if it cannot. */
export type AnswerTurn = (
  ctx: UpdateContext,
  thread: ChatThread,
  run: () => Promise<Reply | undefined>,
) => Promise<void>

export interface AnswerTextDeps {
  replies: Pick<Replies, 'reply' | 'noteEdit'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  log: Logger
  /** Whether an update was sent so long ago that its user is asked first. */
  isLate: (update: Update) => boolean
  /** Told what is left to be done of an update when its chat may go on. */
  onUnsettled: (update: Update, settled: Promise<void>) => void
}

/** Answers text messages, new and edited. */
export function createAnswerText(deps: AnswerTextDeps) {
  const { replies, outbox, texts, log, isLate, onUnsettled } = deps
  return { answerText, noteEdit, answerTurn }

  async function answerText(ctx: TextContext): Promise<void> {
    const prompt = toPrompt(ctx.message, { ...ctx, texts })
    if (prompt.text === '') return say(prompt, ctx, 'prompt-missing')
    const options = { isLate: isLate(ctx.update) }
    await answerTurn(ctx, prompt, () => replies.reply(prompt, options))
  }

  async function noteEdit(ctx: TextContext): Promise<void> {
    const prompt = toPrompt(ctx.message, { ...ctx, texts })
    if (prompt.text === '') return
    await answerTurn(ctx, prompt, () => replies.noteEdit(prompt))
  }

  async function answerTurn(...[ctx, thread, run]: Parameters<AnswerTurn>): Promise<void> {
    const updateId = ctx.update.update_id
    try {
      const reply = await run()
      if (reply !== undefined) onUnsettled(ctx.update, reply.settled)
    } catch (error) {
      if (isNotHandled(error)) throw error
      log.error({ ...errorFacts(error), updateId }, 'message not answered')
      await say(thread, ctx, apologyFor(error))
    }
  }

  async function say(
    { chatId, threadId }: ChatThread,
    { sender, update }: UpdateContext,
    key: string,
  ): Promise<void> {
    const text = texts.t(sender.languageCode, key)
    const answered = update.message && answeredIn(update.message)
    const send = () => outbox.send({ chatId, threadId, text, ...answered })
    await sendBestEffort(send, { chatId, ifLost: 'sentence maybe not shown', log })
  }
}

function apologyFor(error: unknown): string {
  if (error instanceof NoModelError) return 'model-none'
  return error instanceof ServiceError ? 'service-unavailable' : 'reply-failed'
}
