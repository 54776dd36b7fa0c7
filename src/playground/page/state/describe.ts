import type { Message } from 'grammy/types'
import { plainTextOf } from '../../content/rich-text.ts'
import { words } from '../words/language.ts'
import { nameNow } from './people.ts'

const CHARS_MAX = 300

const KINDS = ['photo', 'video', 'voice', 'rich_message'] as const

/** Returns a message in one line: its text, its kind, or what happened. */
export function previewOf(message: Message): string {
  return contentOf(message) ?? describeService(message)
}

/** Returns a message in one line; undefined for a service message. */
export function contentOf(message: Message): string | undefined {
  const { text, caption, rich_message: rich, document, audio } = message
  const line = text ?? caption ?? plainTextOf(rich?.blocks ?? [])
  const shown = line.slice(0, CHARS_MAX).replace(/\s+/g, ' ').trim()
  if (shown !== '') return shown
  const { kinds } = words.value.message
  if (document !== undefined) return document.file_name ?? kinds.document
  if (audio !== undefined) return audio.title ?? audio.file_name ?? kinds.audio
  const kind = KINDS.find((name) => message[name] !== undefined)
  return kind === undefined ? undefined : kinds[kind]
}

export function describeService(message: Message): string {
  const { service } = words.value.message
  const { new_chat_members: joined, forum_topic_created, forum_topic_edited } = message
  if (joined !== undefined) return service.joined(joined.map(nameNow).join(', '))
  if (forum_topic_created) return service.topicCreated(forum_topic_created.name)
  if (forum_topic_edited) return service.topicRenamed(forum_topic_edited.name ?? '')
  const moved = message.migrate_to_chat_id ?? message.migrate_from_chat_id
  return moved === undefined ? service.other : service.becameSupergroup
}
