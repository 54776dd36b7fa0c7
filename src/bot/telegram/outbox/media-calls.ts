import { InputFile } from 'grammy'
import type { InputMedia, Message } from 'grammy/types'
import { apiSignal, type TelegramApi } from '../api.ts'
import { withKeyboard } from './body-calls.ts'
import type { EditOptions, MessageRef } from './outgoing.ts'
import type { FileSource, OutgoingMedia, ShownFile } from './outgoing-media.ts'

type Api = Pick<TelegramApi, 'calls' | 'uploads'>

/** @returns The file as the message shows it; undefined if Telegram does not say. */
export async function editToFile(
  api: Api,
  { chatId, messageId }: MessageRef,
  media: OutgoingMedia,
  { keyboard, signal }: EditOptions,
): Promise<ShownFile | undefined> {
  const client = 'bytes' in media.source ? api.uploads : api.calls
  const other = withKeyboard(keyboard)
  const input = toInputMedia(media)
  const edited = await client.editMessageMedia(chatId, messageId, input, other, apiSignal(signal))
  return edited === true ? undefined : readShownFile(edited)
}

function toInputMedia({ type, source, caption, ...facts }: OutgoingMedia): InputMedia {
  const { width, height, durationSeconds: duration, title } = facts
  const input = {
    media: toInputFile(source),
    ...(caption !== undefined && { caption: caption.toWellFormed() }),
  }
  switch (type) {
    case 'video':
      return {
        ...{ type, ...input, supports_streaming: true },
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        ...(duration !== undefined && { duration }),
      }
    case 'audio':
      return {
        ...{ type, ...input },
        ...(duration !== undefined && { duration }),
        ...(title !== undefined && { title: title.toWellFormed() }),
      }
    case 'photo':
    case 'document':
      return { type, ...input }
  }
}

function toInputFile(source: FileSource): string | InputFile {
  if ('url' in source) return source.url
  return 'fileId' in source ? source.fileId : new InputFile(source.bytes, source.fileName)
}

/** What Telegram made of a file may be of another type than what was sent: a clip without sound is an animation. */
function readShownFile({ photo, video, animation, audio, voice, document }: Message) {
  const picture = photo?.at(-1)
  const clip = video ?? animation
  const sound = audio ?? voice
  if (picture) return { type: 'photo', fileId: picture.file_id } as const
  if (clip) return { type: 'video', fileId: clip.file_id } as const
  if (sound) return { type: 'audio', fileId: sound.file_id } as const
  return document && ({ type: 'document', fileId: document.file_id } as const)
}
