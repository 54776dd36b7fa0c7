import { type Api, GrammyError, HttpError, InputFile } from 'grammy'
import {
  ChatUnreachableError,
  MediaRefusedError,
  SendOutcomeUnknownError,
} from '../../../src/bot/telegram/errors.ts'
import type { EditOutcome, Outbox, OutgoingText } from '../../../src/bot/telegram/outbox.ts'

type Shown = Pick<Outbox, 'send' | 'edit' | 'editToVideo' | 'answerButton'>

/** An outbox without pacing: each call goes out at once, what is safe to repeat is repeated. */
export function createPlainOutbox(api: Api): Shown {
  return {
    async send({ chatId, threadId, text, replyToMessageId, keyboard }: OutgoingText) {
      const call = api.sendMessage(chatId, text, {
        ...(threadId !== undefined && { message_thread_id: threadId }),
        ...(keyboard && { reply_markup: keyboard }),
        ...(replyToMessageId !== undefined && {
          reply_parameters: { message_id: replyToMessageId, allow_sending_without_reply: true },
        }),
      })
      try {
        return { chatId, messageId: (await call).message_id }
      } catch (error) {
        if (error instanceof HttpError) throw new SendOutcomeUnknownError(chatId, 'no answer')
        throw read(error, chatId)
      }
    },
    edit: (({ chatId, messageId }, text, { keyboard }) => {
      const shown = typeof text === 'string' ? text : text()
      const other = keyboard ? { reply_markup: keyboard } : {}
      return repeat(chatId, () => api.editMessageText(chatId, messageId, shown, other))
    }) as Outbox['edit'],
    editToVideo({ chatId, messageId }, source, { caption, width, height, durationSeconds }) {
      return repeat(chatId, () =>
        api.editMessageMedia(chatId, messageId, {
          type: 'video',
          media: 'url' in source ? source.url : new InputFile(source.bytes, source.fileName),
          ...(caption !== undefined && { caption }),
          width,
          height,
          duration: durationSeconds,
          supports_streaming: true,
        }),
      )
    },
    async answerButton(callbackQueryId, text) {
      await api.answerCallbackQuery(callbackQueryId, text === undefined ? {} : { text })
    },
  }
}

async function repeat(chatId: number, call: () => Promise<unknown>): Promise<EditOutcome> {
  for (;;) {
    try {
      await call()
      return 'shown'
    } catch (error) {
      if (error instanceof HttpError) continue
      const failure = read(error, chatId)
      if (failure instanceof Error) throw failure
      return failure
    }
  }
}

function read(error: unknown, chatId: number): EditOutcome | Error {
  if (!(error instanceof GrammyError)) throw error
  if (error.error_code === 403) return new ChatUnreachableError(chatId, 'blocked')
  if (error.description.includes('not modified')) return 'shown'
  if (/not found|can't be edited/.test(error.description)) return 'gone'
  if (/HTTP URL|web page|too big/.test(error.description)) return new MediaRefusedError('refused')
  return error
}
