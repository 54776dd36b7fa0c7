import { InputFile } from 'grammy'
import type {
  InputMediaAudio,
  InputMediaDocument,
  InputMediaPhoto,
  InputMediaVideo,
  Message,
  MessageEntity,
} from 'grammy/types'
import { showMarks } from '../texts/marks.ts'
import { apiSignal, type TelegramApi } from './api.ts'
import {
  type Destination,
  type Extras,
  type MessageRef,
  placeOf,
  type TextBody,
  withKeyboard,
} from './message.ts'

/** Longest caption in UTF-16 units. Telegram counts code points, so this is always safe. */
export const CAPTION_CHARS_MAX = 1024

export type ShownAs = 'video' | 'photo' | 'audio' | 'document'

/** A link for Telegram to fetch (≤ 20 MB, photo ≤ 5 MB), bytes (≤ 50 MB, photo ≤ 10 MB), or a file that Telegram has. */
export type FileSource =
  | { url: string }
  | { bytes: FileBytes; fileName: string }
  | { fileId: string }

/** A function opens the bytes for every attempt. */
export type FileBytes = Uint8Array | (() => AsyncIterable<Uint8Array>)

/** Telegram finds out missing facts itself, or shows the file without them. */
export interface OutgoingFile {
  type: ShownAs
  source: FileSource
  /** A text of at most `CAPTION_CHARS_MAX` characters. */
  caption?: string | undefined
  /** Formatting of the caption, in UTF-16 units. */
  captionEntities?: MessageEntity[] | undefined
  width?: number | undefined
  height?: number | undefined
  durationSeconds?: number | undefined
  title?: string | undefined
}

/** Telegram shows the file again by its id in any chat, without an upload. */
export interface ShownFile {
  type: ShownAs
  fileId: string
}

/** One file, or an album of up to ten: photos and videos, only audios, or only documents. An album has no keyboard. */
export interface OutgoingMedia extends Destination, Extras {
  files: readonly OutgoingFile[]
}

export interface SentMedia {
  chatId: number
  messageIds: readonly number[]
  files: readonly ShownFile[]
}

type Api = Pick<TelegramApi, 'calls' | 'uploads'>
type InputMedia = InputMediaAudio | InputMediaDocument | InputMediaPhoto | InputMediaVideo

/** @returns The file as the message shows it; undefined if Telegram does not say. */
export async function editToFile(
  api: Api,
  { chatId, messageId }: MessageRef,
  file: OutgoingFile,
  { keyboard, signal }: Pick<Extras, 'keyboard'> & { signal?: AbortSignal | undefined },
): Promise<ShownFile | undefined> {
  const input = toInputMedia(file)
  const other = withKeyboard(keyboard)
  const client = clientFor(api, [file])
  const edited = await client.editMessageMedia(chatId, messageId, input, other, apiSignal(signal))
  return edited === true ? undefined : readShownFile(edited)
}

export async function sendFiles(
  api: Api,
  message: OutgoingMedia,
  signal: AbortSignal | undefined,
): Promise<SentMedia> {
  const { chatId, keyboard, files } = message
  const client = clientFor(api, files)
  const other = placeOf(message)
  const [only, ...more] = files.map(toInputMedia)
  if (only === undefined) throw new RangeError('Cannot send media: there is none')
  // grammY's type separates the kinds of albums; here the caller has to.
  const album = [only, ...more] as InputMediaPhoto[]
  const sent =
    more.length > 0
      ? await client.sendMediaGroup(chatId, album, other, apiSignal(signal))
      : [await sendOne(only)]
  return {
    chatId,
    messageIds: sent.map(({ message_id }) => message_id),
    files: sent.map(readShownFile).filter((file) => file !== undefined),
  }

  function sendOne({ type, media, ...facts }: InputMedia): Promise<Message> {
    const options = { ...facts, ...other, ...withKeyboard(keyboard) }
    const given = [chatId, media, options, apiSignal(signal)] as const
    switch (type) {
      case 'video':
        return client.sendVideo(...given)
      case 'photo':
        return client.sendPhoto(...given)
      case 'audio':
        return client.sendAudio(...given)
      case 'document':
        return client.sendDocument(...given)
    }
  }
}

/** Uploads are slow, and so are links: Telegram fetches them before it answers. */
function clientFor({ calls, uploads }: Api, files: readonly OutgoingFile[]) {
  return files.every(({ source }) => 'fileId' in source) ? calls : uploads
}

function toInputMedia({ type, source, ...file }: OutgoingFile): InputMedia {
  const { caption: text, captionEntities: entities, title, width, height } = file
  const input = {
    media: toInputFile(source),
    ...(text !== undefined && toCaption({ text, entities })),
  }
  const duration = file.durationSeconds !== undefined && { duration: file.durationSeconds }
  switch (type) {
    case 'video':
      return {
        type,
        ...input,
        supports_streaming: true,
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        ...duration,
      }
    case 'audio':
      return {
        type,
        ...input,
        ...duration,
        ...(title !== undefined && { title: title.toWellFormed() }),
      }
    case 'photo':
    case 'document':
      return { type, ...input }
  }
}

function toCaption(marked: TextBody) {
  const { text, entities } = showMarks(marked)
  return { caption: text.toWellFormed(), ...(entities && { caption_entities: entities }) }
}

function toInputFile(source: FileSource): string | InputFile {
  if ('url' in source) return source.url
  return 'fileId' in source ? source.fileId : new InputFile(source.bytes, source.fileName)
}

/** It may be of another type than the one sent: a video without sound is an animation. */
function readShownFile(message: Message): ShownFile | undefined {
  const { photo, video, animation, audio, voice, document } = message
  const picture = photo?.at(-1)
  const film = video ?? animation
  const sound = audio ?? voice
  if (picture) return { type: 'photo', fileId: picture.file_id }
  if (film) return { type: 'video', fileId: film.file_id }
  if (sound) return { type: 'audio', fileId: sound.file_id }
  return document && { type: 'document', fileId: document.file_id }
}
