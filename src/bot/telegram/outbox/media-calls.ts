import { InputFile } from 'grammy'
import type {
  InputMediaAudio,
  InputMediaDocument,
  InputMediaPhoto,
  InputMediaVideo,
  Message,
} from 'grammy/types'
import { showMarks } from '../../locales/marks.ts'
import { apiSignal, type TelegramApi } from '../api.ts'
import { inThread, replyTo, withKeyboard } from './body-calls.ts'
import type { EditOptions, MessageRef } from './outgoing.ts'
import type {
  FileSource,
  OutgoingFile,
  OutgoingMedia,
  SentMedia,
  ShownFile,
} from './outgoing-media.ts'

type Api = Pick<TelegramApi, 'calls' | 'uploads'>

/** @returns The file as the message shows it; undefined if Telegram does not say. */
export async function editToFile(
  api: Api,
  { chatId, messageId }: MessageRef,
  file: OutgoingFile,
  { keyboard, signal }: EditOptions,
): Promise<ShownFile | undefined> {
  const input = toInputMedia(file)
  const other = withKeyboard(keyboard)
  const client = clientFor(api, [file])
  const edited = await client.editMessageMedia(chatId, messageId, input, other, apiSignal(signal))
  return edited === true ? undefined : readShownFile(edited)
}

/** Sends one file as a message, several as an album. */
export async function sendFiles(
  api: Api,
  { chatId, threadId, replyToMessageId, keyboard, files }: OutgoingMedia,
  signal: AbortSignal | undefined,
): Promise<SentMedia> {
  const client = clientFor(api, files)
  const other = { ...inThread(threadId), ...replyTo(replyToMessageId) }
  const [only, ...more] = files.map(toInputMedia)
  if (only === undefined) throw new RangeError('Cannot send media: there is none')
  const sent =
    more.length > 0
      ? await client.sendMediaGroup(chatId, toAlbum([only, ...more]), other, apiSignal(signal))
      : [await sendOne({ ...other, ...withKeyboard(keyboard) })]
  return {
    chatId,
    messageIds: sent.map(({ message_id }) => message_id),
    files: sent.map(readShownFile).filter((file) => file !== undefined),
  }

  function sendOne(options: typeof other): Promise<Message> {
    const { type, media, ...facts } = only as NonNullable<typeof only>
    const given = [chatId, media, { ...facts, ...options }, apiSignal(signal)] as const
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

/** An upload takes its time, and so does what Telegram fetches by a link before it answers. */
function clientFor({ calls, uploads }: Api, files: readonly OutgoingFile[]) {
  return files.every(({ source }) => 'fileId' in source) ? calls : uploads
}

/** The type parts the kinds of albums from each other, which is the caller's to do. */
function toAlbum(files: InputMedia[]) {
  return files as InputMediaPhoto[]
}

type InputMedia = InputMediaAudio | InputMediaDocument | InputMediaPhoto | InputMediaVideo

function toInputMedia(file: OutgoingFile): InputMedia {
  const { type, source, caption, captionEntities, ...facts } = file
  const { width, height, durationSeconds: duration, title } = facts
  const input = {
    media: toInputFile(source),
    ...(caption !== undefined && toCaption({ text: caption, entities: captionEntities })),
  }
  switch (type) {
    case 'video':
      return {
        type,
        ...input,
        supports_streaming: true,
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        ...(duration !== undefined && { duration }),
      }
    case 'audio':
      return {
        type,
        ...input,
        ...(duration !== undefined && { duration }),
        ...(title !== undefined && { title: title.toWellFormed() }),
      }
    case 'photo':
    case 'document':
      return { type, ...input }
  }
}

function toCaption(marked: Parameters<typeof showMarks>[0]) {
  const { text, entities } = showMarks(marked)
  return { caption: text.toWellFormed(), ...(entities && { caption_entities: entities }) }
}

function toInputFile(source: FileSource): string | InputFile {
  if ('url' in source) return source.url
  return 'fileId' in source ? source.fileId : new InputFile(source.bytes, source.fileName)
}

/** It may be of another type than the one sent: a clip without sound is an animation. */
function readShownFile({ photo, video, animation, audio, voice, document }: Message) {
  const picture = photo?.at(-1)
  const clip = video ?? animation
  const sound = audio ?? voice
  if (picture) return { type: 'photo', fileId: picture.file_id } as const
  if (clip) return { type: 'video', fileId: clip.file_id } as const
  if (sound) return { type: 'audio', fileId: sound.file_id } as const
  return document && ({ type: 'document', fileId: document.file_id } as const)
}
