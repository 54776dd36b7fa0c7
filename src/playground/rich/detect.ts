import type { RichText } from 'grammy/types'
import { findEntities } from '../content/entities.ts'
import { joinText } from './rich-text.ts'

/** Marks mentions and commands, as Telegram finds them in plain characters. */
export function detectNames(text: string): RichText {
  return detect(text, ['mention', 'bot_command'])
}

/** The same with addresses, which the Markdown parser finds by itself. */
export function detectAll(text: string): RichText {
  return detect(text, ['mention', 'bot_command', 'url'])
}

function detect(text: string, types: readonly string[]): RichText {
  const parts: RichText[] = []
  let position = 0
  for (const { type, offset, length } of findEntities(text)) {
    if (!types.includes(type)) continue
    const found = text.slice(offset, offset + length)
    parts.push(text.slice(position, offset))
    if (type === 'url') parts.push({ type, text: found, url: found })
    else if (type === 'mention') parts.push({ type, text: found, username: found.slice(1) })
    else parts.push({ type: 'bot_command', text: found, bot_command: found })
    position = offset + length
  }
  return joinText([...parts, text.slice(position)])
}
