import type { Message, Update } from 'grammy/types'
import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import { readAddress } from '../addressing/address.ts'
import { answeredIn, type ChatThread, threadOf } from '../addressing/chat-thread.ts'
import type { BotContext } from '../addressing/sender.ts'
import type { Prompt } from '../addressing/to-prompt.ts'
import type { Chats } from '../chats/chats.ts'
import type { PromptReader } from '../files/read-prompt.ts'
import type { Texts } from '../locales/texts.ts'
import { NoModelError } from '../models.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { isNotHandled } from '../telegram/inbox/inbox.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import { sendBestEffort } from '../telegram/outbox/send-best-effort.ts'
import type { Replies, Reply } from './replies.ts'

type UpdateContext = Pick<BotContext, 'update' | 'sender'>
type MessageContext = UpdateContext & Pick<BotContext, 'me'> & { message: Message }

/** Has a turn run for an update, and says so in a sentence if it cannot. */
export type AnswerTurn = (
  ctx: UpdateContext,
  thread: ChatThread,
  run: () => Promise<Reply | undefined>,
) => Promise<void>

export interface AnswerTextDeps {
  replies: Pick<Replies, 'reply' | 'noteEdit'>
  readPrompt: PromptReader['readPrompt']
  chats: Pick<Chats, 'isNewAlbum'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  log: Logger
  /** Whether an update was sent so long ago that its user is asked first. */
  isLate: (update: Update) => boolean
  /** The messages of which an update consists, where they are several. */
  partsOf: (update: Update) => readonly Message[]
  /** Told what is left to be done of an update when its chat may go on. */
  onUnsettled: (update: Update, settled: Promise<void>) => void
}

/** Answers messages with words or files, new and edited. */
export function createAnswerText(deps: AnswerTextDeps) {
  const { replies, readPrompt, chats, outbox, texts, log, isLate, partsOf, onUnsettled } = deps
  return { answerText, noteEdit, answerTurn }

  async function answerText(ctx: MessageContext): Promise<void> {
    const asked = { ...threadOf(ctx.message), messageId: ctx.message.message_id }
    const options = { isLate: isLate(ctx.update) }
    await answerTurn(ctx, asked, () => replies.reply(asked, () => readOrSay(ctx), options))
  }

  async function noteEdit(ctx: MessageContext): Promise<void> {
    await answerTurn(ctx, threadOf(ctx.message), async () => {
      const read = await readPrompt(ctx.message, { ...ctx, parts: partsOf(ctx.update) })
      return read.type === 'prompt' ? replies.noteEdit(read.prompt) : undefined
    })
  }

  /** @returns Undefined where nothing is asked; its user is told why. */
  async function readOrSay(ctx: MessageContext): Promise<Prompt | undefined> {
    const read = await readPrompt(ctx.message, { ...ctx, parts: partsOf(ctx.update) })
    const thread = threadOf(ctx.message)
    switch (read.type) {
      case 'prompt':
        return read.prompt
      case 'unread': {
        const { problem, name } = read
        await say(thread, ctx, 'file-unread', { problem, name })
        return undefined
      }
      case 'nothing': {
        const { unseen: kind } = read
        if (kind === undefined) await say(thread, ctx, 'prompt-missing')
        else if (await isToBeTold(ctx)) await say(thread, ctx, 'unseen', { kind })
        return undefined
      }
    }
  }

  /** In a group people answer the bot with stickers and pictures. Of an album one part may come late. */
  async function isToBeTold({ message, me }: MessageContext): Promise<boolean> {
    const { chat, media_group_id: albumId } = message
    if (chat.type !== 'private' && readAddress(message, me) === 'reply') return false
    return albumId === undefined || chats.isNewAlbum(chat.id, albumId)
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
    variables?: Record<string, string>,
  ): Promise<void> {
    const text = texts.t(sender.languageCode, key, variables)
    const answered = update.message && answeredIn(update.message)
    const send = () => outbox.send({ chatId, threadId, text, ...answered })
    await sendBestEffort(send, { chatId, ifLost: 'sentence maybe not shown', log })
  }
}

function apologyFor(error: unknown): string {
  if (error instanceof NoModelError) return 'model-none'
  return error instanceof ServiceError ? 'service-unavailable' : 'reply-failed'
}
