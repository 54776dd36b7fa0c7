import type { Message } from 'grammy/types'
import type { Media, MediaKind } from './files.ts'
import {
  inlineMarkupOf,
  type Person,
  type StoredMessage,
  toChat,
  toUser,
  type World,
} from './world.ts'

/** Author and chat are always there in the chats that the playground has. */
export type WireMessage = Message & {
  from: NonNullable<Message['from']>
  chat: ReturnType<typeof toChat>
}

type ContentFields = Partial<
  Pick<
    Message,
    | MediaKind
    | 'text'
    | 'entities'
    | 'caption'
    | 'caption_entities'
    | 'link_preview_options'
    | 'rich_message'
  >
>

/** A message as the Bot API shows it. The message it answers is shown once, not its own ancestors. */
export function toMessage(message: StoredMessage, world: World, withReply = true): WireMessage {
  const room = world.roomOf(message.chatId)
  const replyTo = message.replyToMessageId
  const parent =
    withReply && replyTo !== undefined ? world.find(message.chatId, replyTo) : undefined
  const markup = inlineMarkupOf(message)
  return {
    message_id: message.id,
    from: fromOf(message.from, world),
    chat: toChat(room, world.people),
    date: message.date,
    ...(message.editDate !== undefined && { edit_date: message.editDate }),
    ...(parent && { reply_to_message: toParent(parent, world) }),
    ...contentOf(message),
    ...(markup && { reply_markup: markup }),
  }
}

/** The type asks for an explicit `undefined` inside, which strict optional fields cannot hold. */
function toParent(message: StoredMessage, world: World) {
  return toMessage(message, world, false) as unknown as NonNullable<Message['reply_to_message']>
}

function fromOf(from: 'bot' | Person, world: World) {
  return from === 'bot' ? world.bot : toUser(from)
}

function contentOf({ content }: StoredMessage): ContentFields {
  if (content.kind === 'text') {
    return {
      text: content.text,
      ...(content.entities.length > 0 && { entities: content.entities }),
      ...(content.linkPreview && { link_preview_options: content.linkPreview }),
    }
  }
  if (content.kind === 'rich') {
    const { blocks, isRtl } = content
    return { rich_message: { blocks, ...(isRtl && { is_rtl: true }) } }
  }
  const { caption } = content
  return {
    ...mediaOf(content.media),
    ...(caption.text !== '' && { caption: caption.text }),
    ...(caption.entities.length > 0 && { caption_entities: caption.entities }),
  }
}

function mediaOf(media: Media): ContentFields {
  const { file, width, height, duration } = media
  const base = { file_id: media.fileId, file_unique_id: file.uniqueId, file_size: file.size }
  const named = { ...base, file_name: file.fileName, mime_type: file.mime }
  switch (media.kind) {
    case 'photo':
      return { photo: [{ ...base, width, height }] }
    case 'video':
      return { video: { ...named, width, height, duration } }
    case 'document':
      return { document: named }
    case 'audio':
      return {
        audio: {
          ...named,
          duration,
          ...(media.title !== undefined && { title: media.title }),
          ...(media.performer !== undefined && { performer: media.performer }),
        },
      }
    case 'voice':
      return { voice: { ...base, mime_type: file.mime, duration } }
    case 'sticker':
      return {
        sticker: {
          ...base,
          type: 'regular',
          width,
          height,
          is_animated: false,
          is_video: false,
          ...(media.emoji !== undefined && { emoji: media.emoji }),
        },
      }
  }
}
