import type { Logger } from 'pino'
import type { Texts } from '../texts/texts.ts'
import type { BotContext } from './addressing.ts'
import { errorFacts, isTelegramError } from './errors.ts'
import { CAPTION_CHARS_MAX, type OutgoingMedia } from './media.ts'
import type { Destination, Extras, TextBody } from './message.ts'
import type { Outbox, SendOptions } from './send.ts'

export interface PicturedMessage
  extends Destination,
    TextBody,
    Pick<Extras, 'keyboard' | 'replyToMessageId'> {
  picture?: Uint8Array | undefined
}

type Sends = Pick<Outbox, 'send' | 'sendMedia'>

/**
 * Sends a message; returns undefined if the chat is unreachable or the outcome unknown.
 *
 * @param ifLost The text of the log line then.
 * @throws Every other error of `send`.
 */
export async function sendBestEffort<T>(
  send: () => Promise<T>,
  { chatId, ifLost, log }: { chatId: number; ifLost: string; log: Logger },
): Promise<T | undefined> {
  try {
    return await send()
  } catch (error) {
    const isLost = isTelegramError(error, 'chat_unreachable', 'outcome_unknown')
    if (!isLost) throw error
    log.info({ ...errorFacts(error), chatId }, ifLost)
    return undefined
  }
}

/**
 * Sends a text as the caption of its picture; a longer text before it; a text with a refused picture alone.
 *
 * @param options Their callbacks are about the text.
 * @throws The errors of `send()` and `sendMedia()`, except for a refused picture.
 */
export async function sendPictured(
  outbox: Sends,
  { picture, ...message }: PicturedMessage,
  options: SendOptions = {},
): Promise<void> {
  const { text, entities, keyboard, ...destination } = message
  const source = picture && { bytes: picture, fileName: 'picture.png' }
  const isCaption = text.length <= CAPTION_CHARS_MAX
  if (source !== undefined && isCaption) {
    const file = { type: 'photo', source, caption: text, captionEntities: entities } as const
    if (await sendPhoto(outbox, { ...destination, keyboard, files: [file] }, options)) return
  }
  await outbox.send(message, options)
  if (source !== undefined && !isCaption) {
    const { signal } = options
    await sendPhoto(outbox, { ...destination, files: [{ type: 'photo', source }] }, { signal })
  }
}

/** @returns False if Telegram refuses the picture. */
async function sendPhoto(
  outbox: Sends,
  message: OutgoingMedia,
  options: SendOptions,
): Promise<boolean> {
  try {
    await outbox.sendMedia(message, options)
    return true
  } catch (error) {
    if (isTelegramError(error, 'media_refused')) return false
    throw error
  }
}

/** Ends a button's waiting state, with a text in its user's language if a key is given. */
export function createNotifyPress({
  outbox,
  texts,
}: {
  outbox: Pick<Outbox, 'answerButton'>
  texts: Texts
}) {
  return async function notifyPress(
    ctx: Pick<BotContext, 'sender'> & { callbackQuery: { id: string } },
    key?: string,
  ): Promise<void> {
    const notice = key === undefined ? undefined : texts.t(ctx.sender.languageCode, key)
    await outbox.answerButton(ctx.callbackQuery.id, notice)
  }
}

export type NotifyPress = ReturnType<typeof createNotifyPress>
