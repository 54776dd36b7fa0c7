import type { Message, Update } from 'grammy/types'
import type { Logger } from 'pino'
import { ServiceError } from '../../contract/client/service-error.ts'
import type { MediaKind } from '../../contract/tasks.ts'
import { NoModelError, toUnavailableText } from '../models.ts'
import {
  answeredIn,
  type BotContext,
  type ChatThread,
  readAddress,
  saysStop,
  threadOf,
  withoutMentions,
} from '../telegram/addressing.ts'
import { errorFacts } from '../telegram/errors.ts'
import { isNotHandled, type UpdateFacts } from '../telegram/handle-update.ts'
import type { Prompt } from '../telegram/prompt.ts'
import type { Outbox } from '../telegram/send.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import { LANGUAGES, type Texts, type TextVariables } from '../texts/texts.ts'
import type { PromptFacts, ReadPrompt } from './files/read-prompt.ts'
import type { Replies } from './replies.ts'

type UpdateContext = Pick<BotContext, 'update' | 'sender'>
type MessageContext = UpdateContext & Pick<BotContext, 'me'> & { message: Message }

/** Begins a turn for an update, and apologises in the chat if that fails. */
export type AnswerTurn = (
  ctx: UpdateContext,
  thread: ChatThread,
  run: (facts: UpdateFacts) => Promise<void>,
) => Promise<void>

export interface AnswerMessageDeps {
  replies: Pick<Replies, 'reply' | 'recordEdit' | 'stop'>
  readPrompt: (message: Message, facts: PromptFacts) => Promise<ReadPrompt>
  isNewAlbum: (chatId: number, albumId: string) => Promise<boolean>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  sells: (kind: MediaKind) => boolean
  log: Logger
  factsOf: (update: Update) => UpdateFacts
}

export function createAnswerMessage(deps: AnswerMessageDeps) {
  const { replies, readPrompt, isNewAlbum, outbox, texts, sells, log, factsOf } = deps
  // Users write it in either language.
  const stopWords = LANGUAGES.map((language) => texts.t(language, 'stop-words')).join()
  return { answerMessage, recordEdit, answerTurn }

  async function answerMessage(ctx: MessageContext): Promise<void> {
    const asked = { ...threadOf(ctx.message), messageId: ctx.message.message_id }
    if (await stopAsSaid(ctx)) return
    await answerTurn(ctx, asked, (facts) => replies.reply(asked, () => readOrExplain(ctx), facts))
  }

  async function recordEdit(ctx: MessageContext): Promise<void> {
    await answerTurn(ctx, threadOf(ctx.message), async ({ parts }) => {
      const read = await readPrompt(ctx.message, { ...ctx, parts })
      if (read.type === 'prompt') await replies.recordEdit(read.prompt)
    })
  }

  /** Returns whether an answer was being written. */
  async function stopAsSaid(ctx: MessageContext): Promise<boolean> {
    const { message, sender, me } = ctx
    const { text, forward_origin } = message
    // Forwarded words are another user's.
    if (text === undefined || forward_origin !== undefined) return false
    if (!saysStop(withoutMentions({ ...message, text }, me), stopWords)) return false
    const actor = { userId: sender.id, isAdmin: sender.role === 'admin' }
    const outcome = await replies.stop(threadOf(message), actor)
    if (outcome === 'not_yours') await say(ctx, threadOf(message), 'turn-not-yours')
    return outcome !== 'nothing'
  }

  async function readOrExplain(ctx: MessageContext): Promise<Prompt | undefined> {
    const read = await readPrompt(ctx.message, { ...ctx, parts: factsOf(ctx.update).parts })
    if (read.type === 'prompt') return read.prompt
    const explain = (key: string, variables?: TextVariables) =>
      say(ctx, threadOf(ctx.message), key, variables)
    if (read.type === 'unread') {
      await explain('file-unread', { problem: read.problem, name: read.name })
    } else if (read.unseen === undefined) await explain('prompt-missing')
    else if (await isExplained(ctx)) {
      await explain('unseen', { kind: read.unseen, hasVideo: String(sells('video')) })
    }
    return undefined
  }

  /** In a group users answer the bot with stickers, and parts of an album may arrive late. */
  async function isExplained({ message, me }: MessageContext): Promise<boolean> {
    const { chat, media_group_id: albumId } = message
    if (chat.type !== 'private' && readAddress(message, me) === 'reply') return false
    return albumId === undefined || isNewAlbum(chat.id, albumId)
  }

  async function answerTurn(...[ctx, thread, run]: Parameters<AnswerTurn>): Promise<void> {
    try {
      await run(factsOf(ctx.update))
    } catch (error) {
      if (isNotHandled(error)) throw error
      const updateId = ctx.update.update_id
      log.error({ ...errorFacts(error), updateId }, 'message not answered')
      await say(ctx, thread, apologyFor(error))
    }
  }

  async function say(
    { sender, update }: UpdateContext,
    { chatId, threadId }: ChatThread,
    key: string,
    variables?: TextVariables,
  ): Promise<void> {
    const text = texts.t(sender.languageCode, key, variables)
    const answered = update.message && answeredIn(update.message)
    const send = () => outbox.send({ chatId, threadId, text, ...answered })
    await sendBestEffort(send, { chatId, ifLost: 'sentence maybe not shown', log })
  }
}

function apologyFor(error: unknown): string {
  if (error instanceof NoModelError) return 'service-misconfigured'
  return error instanceof ServiceError ? toUnavailableText(error) : 'reply-failed'
}
