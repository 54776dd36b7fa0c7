import type { Message } from 'grammy/types'
import { words } from '../words/language.ts'
import { authorOf } from './authors.ts'
import { contentOf } from './content-of.ts'
import { nameNow } from './names.ts'

/** Describes what happened in a chat, from its service message. */
export function describeService(message: Message): string {
  const { service } = words.value.message
  const { name } = authorOf(message)
  if (message.pinned_message !== undefined) {
    const { pinned_message: pinned } = message
    return service.pinned(name, pinned.date === 0 ? '' : (contentOf(pinned) ?? ''))
  }
  if (message.new_chat_members !== undefined) {
    return service.joined(message.new_chat_members.map(nameNow).join(', '))
  }
  if (message.left_chat_member !== undefined) return service.left(nameNow(message.left_chat_member))
  if (message.forum_topic_created !== undefined) {
    return service.topicCreated(message.forum_topic_created.name)
  }
  if (message.forum_topic_edited !== undefined) {
    return service.topicRenamed(message.forum_topic_edited.name ?? '')
  }
  if (message.forum_topic_closed !== undefined) return service.topicClosed
  if (message.forum_topic_reopened !== undefined) return service.topicReopened
  if (message.general_forum_topic_hidden !== undefined) return service.generalHidden
  if (message.general_forum_topic_unhidden !== undefined) return service.generalShown
  if (message.new_chat_title !== undefined) return service.renamed(message.new_chat_title)
  if (message.new_chat_photo !== undefined) return service.photoChanged
  if (message.delete_chat_photo !== undefined) return service.photoRemoved
  if (message.group_chat_created || message.supergroup_chat_created) return service.groupCreated
  if (message.migrate_to_chat_id !== undefined) return service.becameSupergroup
  if (message.migrate_from_chat_id !== undefined) return service.becameSupergroup
  if (message.web_app_data !== undefined) {
    return service.webAppData(message.web_app_data.button_text)
  }
  if (message.write_access_allowed !== undefined) return service.allowedToWrite
  return service.other
}

/** Returns a message in one line: its words, what it is where it has none, or what happened. */
export function previewOf(message: Message): string {
  return contentOf(message) ?? describeService(message)
}
