import type { Message, MessageEntity, User } from 'grammy/types'
import { inlineOf } from '../content/markup.ts'
import type {
  Content,
  MediaFile,
  ServiceFields,
  StoredChat,
  StoredMessage,
  UpdateContent,
} from '../state.ts'
import type { UpdateQueue } from '../updates/update-queue.ts'
import { hasTopics, type NewMessage, type World } from './world.ts'

const GROUP_BOT: User = {
  id: 1_087_968_824,
  is_bot: true,
  first_name: 'Group',
  username: 'GroupAnonymousBot',
}
const CHANNEL_BOT: User = {
  id: 136_817_688,
  is_bot: true,
  first_name: 'Channel',
  username: 'Channel_Bot',
}

type ContentFields = Partial<Message>

/** A message as the Bot API shows it. The message it answers is shown once, not its own ancestors. */
export function toMessage(message: StoredMessage, world: World, withReply = true): Message {
  const chat = world.chatOf(message.chatId)
  const { senderChat, forwardOrigin, quote, threadId, mediaGroupId } = message
  const from = fromOf(message, chat, world)
  const parent = withReply ? parentOf(message, chat) : undefined
  const markup = inlineOf(message.replyMarkup)
  return {
    message_id: message.id,
    ...(threadId !== undefined && { message_thread_id: threadId }),
    from,
    ...(senderChat && { sender_chat: senderChat }),
    chat: chat.shown,
    date: message.date,
    ...(message.editDate !== undefined && { edit_date: message.editDate }),
    ...(threadId !== undefined && hasTopics(chat, world) && { is_topic_message: true }),
    ...(forwardOrigin && { forward_origin: forwardOrigin }),
    ...(parent && { reply_to_message: toParent(parent, world) }),
    ...(quote && { quote }),
    ...(mediaGroupId !== undefined && { media_group_id: mediaGroupId }),
    ...fieldsOf(message.content, world),
    ...(markup && { reply_markup: markup }),
  }
}

/** The update with a message or, once it has been edited, of its new version. */
export function toMessageUpdate(shown: Message): UpdateContent {
  const isEdited = shown.edit_date !== undefined
  // Only edits have their date, which no type follows to here.
  const message = shown as Required<UpdateContent>['edited_message']
  return isEdited ? { edited_message: message } : { message }
}

/**
 * Adds a service message about a change in a chat. The bot gets it even for its own changes.
 *
 * @param more.userId Who made the change; default: the first member.
 * @returns Its id. The service message of a new topic is the first message of that topic.
 */
export function addServiceMessage(
  { world, queue }: { world: World; queue: UpdateQueue },
  chat: StoredChat,
  service: ServiceFields,
  more: Pick<NewMessage, 'senderChat' | 'threadId'> & { userId?: number | undefined } = {},
): number {
  const [creator = chat.id] = chat.members
  const { userId = creator, ...rest } = more
  const content = { service, text: '', entities: [] }
  const message = world.append({ chatId: chat.id, userId, content, ...rest })
  queue.enqueue(toMessageUpdate(toMessage(message, world)))
  return message.id
}

/** A message in a forum that answers none is shown as an answer to the one that began its topic. */
function parentOf(message: StoredMessage, chat: StoredChat): StoredMessage | undefined {
  const { id, replyToMessageId, threadId } = message
  const parentId = replyToMessageId ?? (chat.isForum ? threadId : undefined)
  return parentId === undefined || parentId === id ? undefined : chat.messages.get(parentId)
}

/** The type asks for an explicit `undefined` inside, which strict optional fields cannot hold. */
function toParent(message: StoredMessage, world: World) {
  return toMessage(message, world, false) as unknown as NonNullable<Message['reply_to_message']>
}

function fromOf(message: StoredMessage, chat: StoredChat, world: World): User {
  const { senderChat, userId } = message
  if (senderChat !== undefined) return senderChat.id === chat.id ? GROUP_BOT : CHANNEL_BOT
  return world.userOf(userId)
}

function fieldsOf(content: Content, world: World): ContentFields {
  const { text, media, rich, service } = content
  const entities = nameMentioned(content.entities, world)
  if (service) return service
  if (rich) return { rich_message: { blocks: rich.blocks, ...(rich.isRtl && { is_rtl: true }) } }
  if (media) {
    return {
      ...mediaOf(media),
      ...(text !== '' && { caption: text }),
      ...(entities.length > 0 && { caption_entities: entities }),
    }
  }
  return {
    text,
    ...(entities.length > 0 && { entities }),
  }
}

function nameMentioned(entities: MessageEntity[], { people }: World): MessageEntity[] {
  if (!entities.some(({ type }) => type === 'text_mention')) return entities
  return entities.map((entity) => {
    const user = entity.type === 'text_mention' ? people.get(entity.user.id)?.user : undefined
    return user ? ({ ...entity, user } as MessageEntity) : entity
  })
}

function mediaOf(media: MediaFile): ContentFields {
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
      return { audio: { ...named, ...media.extra, duration } }
    case 'voice':
      return { voice: { ...base, mime_type: file.mime, duration } }
    case 'sticker': {
      const kind = {
        type: 'regular',
        is_animated: file.mime === 'application/x-tgsticker',
        is_video: file.mime === 'video/webm',
      } as const
      return { sticker: { ...base, ...kind, ...media.extra, width, height } }
    }
  }
}
