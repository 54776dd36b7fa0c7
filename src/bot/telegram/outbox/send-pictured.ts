import { MediaRefusedError } from '../errors.ts'
import type { Destination, TextBody } from './body.ts'
import type { Outbox } from './outbox.ts'
import type { Extras, SendOptions } from './outgoing.ts'
import { CAPTION_CHARS_MAX, type OutgoingMedia } from './outgoing-media.ts'

/** A text with a picture that belongs to it. */
export interface PicturedMessage
  extends Destination,
    TextBody,
    Pick<Extras, 'keyboard' | 'replyToMessageId'> {
  picture?: Uint8Array | undefined
}

type Sends = Pick<Outbox, 'send' | 'sendMedia'>

/**
 * Sends a text as the caption of its picture. One that is too long for that goes before it; one whose picture
 * Telegram refuses, alone.
 *
 * @param options Their callbacks are about the text.
 * @throws What `send()` and `sendMedia()` throw, but for a refused picture.
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

/** @returns False where Telegram refuses the picture. */
async function sendPhoto(
  outbox: Sends,
  message: OutgoingMedia,
  options: SendOptions,
): Promise<boolean> {
  try {
    await outbox.sendMedia(message, options)
    return true
  } catch (error) {
    if (error instanceof MediaRefusedError) return false
    throw error
  }
}
