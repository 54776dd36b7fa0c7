import type { Message, RichBlock, RichText } from 'grammy/types'
import { words } from '../words/language.ts'
import type { ChatState } from './chat-state.ts'
import { nameNow } from './people.ts'

/** No preview is longer. */
const CHARS_MAX = 300

/** Returns a message in one line: its text, its kind, or what happened. */
export function previewOf(message: Message): string {
  return contentOf(message) ?? describeService(message)
}

/** Returns a message in one line; undefined for a service message. */
export function contentOf(message: Message): string | undefined {
  const { text, caption, rich_message: rich } = message
  const line = text ?? caption ?? (rich === undefined ? '' : wordsOfBlocks(rich.blocks))
  const shown = line.replace(/\s+/g, ' ').trim()
  return shown === '' ? nameKind(message) : shown
}

function nameKind(message: Message): string | undefined {
  const { kinds } = words.value.message
  const { document, audio } = message
  if (document !== undefined) return document.file_name ?? kinds.document
  if (audio !== undefined) return audio.title ?? audio.file_name ?? kinds.audio
  const kind = KINDS.find((name) => message[name] !== undefined)
  return kind === undefined ? undefined : kinds[kind]
}

const KINDS = ['photo', 'video', 'voice', 'rich_message'] as const

/** Describes a service message. */
export function describeService(message: Message): string {
  const { service } = words.value.message
  const { new_chat_members: joined, left_chat_member: left } = message
  if (joined !== undefined) return service.joined(joined.map(nameNow).join(', '))
  if (left !== undefined) return service.left(nameNow(left))
  if (message.forum_topic_created !== undefined) {
    return service.topicCreated(message.forum_topic_created.name)
  }
  if (message.forum_topic_edited !== undefined) {
    return service.topicRenamed(message.forum_topic_edited.name ?? '')
  }
  if (message.group_chat_created || message.supergroup_chat_created) return service.groupCreated
  const moved = message.migrate_to_chat_id ?? message.migrate_from_chat_id
  return moved === undefined ? service.other : service.becameSupergroup
}

/** Checks whether the bot is typing in a chat, or in one topic of it. */
export function isTyping(chat: ChatState, threadId?: number): boolean {
  const { value: actions } = chat.actions
  return threadId === undefined ? actions.size > 0 : actions.has(threadId)
}

/** Returns the text at the beginning of a rich message. */
function wordsOfBlocks(blocks: readonly RichBlock[]): string {
  let text = ''
  for (const block of blocks) {
    text += `${wordsOfBlock(block)} `
    if (text.length >= CHARS_MAX) break
  }
  return text.slice(0, CHARS_MAX)
}

function wordsOfBlock(block: RichBlock): string {
  switch (block.type) {
    case 'mathematical_expression':
      return block.expression
    case 'list':
      return block.items.map(({ blocks }) => wordsOfBlocks(blocks)).join(' ')
    case 'blockquote':
      return wordsOfBlocks(block.blocks)
    case 'details':
      return wordsOfText(block.summary)
    case 'table':
      return block.cells
        .flat()
        .map(({ text }) => wordsOfText(text ?? ''))
        .join(' ')
    default:
      return 'text' in block ? wordsOfText(block.text) : ''
  }
}

function wordsOfText(text: RichText): string {
  if (typeof text === 'string') return text
  if (Array.isArray(text)) return text.map(wordsOfText).join('')
  if (text.type === 'mathematical_expression') return text.expression
  return 'text' in text ? wordsOfText(text.text) : ''
}
