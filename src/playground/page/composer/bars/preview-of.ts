import type { Message } from 'grammy/types'
import { words } from '../../words/language.ts'

/** A message in a few words of its own; of what has none, what it is. */
export function previewOf(message: Message): string {
  const { kinds } = words.value.compose
  const own = message.text ?? message.caption
  if (own !== undefined && own !== '') return own
  if (message.photo !== undefined) return kinds.photo
  if (message.video !== undefined) return kinds.video
  if (message.audio !== undefined) return kinds.audio
  if (message.voice !== undefined) return kinds.voice
  return message.document === undefined ? kinds.other : kinds.document
}
