import type { Message } from 'grammy/types'

/** A picture in a message, as Telegram describes it. */
export interface Picture {
  fileId: string
  /** The same for everybody and for ever; nothing is fetched by it. */
  fileUniqueId: string
  sizeBytes: number | undefined
  /** Pixels. Telegram does not state them of a picture that was sent as a file. */
  width: number | undefined
  height: number | undefined
}

/** A message's picture to make a clip from. */
export type GivenPicture =
  | ({ type: 'picture' } & Picture)
  /** An album: it is not known which of its pictures is meant. */
  | { type: 'one_of_several' }
  | { type: 'not_a_picture' }

/**
 * Finds the picture that a message asks about: its own, otherwise that of the message which it
 * answers. One that was sent as a file counts, since people send them so to keep them sharp.
 *
 * @returns Undefined where there is none: the message is a text that answers none.
 */
export function readPicture(message: Message): GivenPicture | undefined {
  const { media_group_id, text, reply_to_message, external_reply } = message
  if (media_group_id !== undefined) return { type: 'one_of_several' }
  const own = pictureOf(message)
  if (own !== undefined) return own
  if (text === undefined) return { type: 'not_a_picture' }
  return pictureOf(reply_to_message ?? external_reply ?? {})
}

function pictureOf({
  photo,
  document,
}: Pick<Message, 'photo' | 'document'>): GivenPicture | undefined {
  const largest = photo?.at(-1)
  if (largest !== undefined) return toGiven(largest)
  return document?.mime_type?.startsWith('image/') ? toGiven(document) : undefined
}

function toGiven(file: {
  file_id: string
  file_unique_id: string
  file_size?: number
  width?: number
  height?: number
}): GivenPicture {
  return {
    type: 'picture',
    fileId: file.file_id,
    fileUniqueId: file.file_unique_id,
    sizeBytes: file.file_size,
    width: file.width,
    height: file.height,
  }
}
