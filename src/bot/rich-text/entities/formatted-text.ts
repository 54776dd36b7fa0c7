import type { MessageEntity } from 'grammy/types'

/** A text with its formatting, in UTF-16 units. */
export interface FormattedText {
  text: string
  entities: MessageEntity[]
}

export function plain(text: string): FormattedText {
  return { text, entities: [] }
}

/** Joins texts, with the separator between them. */
export function join(parts: readonly FormattedText[], separator = ''): FormattedText {
  let text = ''
  const entities: MessageEntity[] = []
  for (const [index, part] of parts.entries()) {
    if (index > 0) text += separator
    const offset = text.length
    text += part.text
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + offset })
  }
  return { text, entities }
}

/** Cuts a stretch out. Formatting that reaches beyond it goes on up to its ends. */
export function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const inside = entities.flatMap((entity) => {
    const start = Math.max(entity.offset, from)
    const length = Math.min(entity.offset + entity.length, to) - start
    return length > 0 ? [{ ...entity, offset: start - from, length }] : []
  })
  return { text: text.slice(from, to), entities: inside }
}

/** A kind of formatting with its parameters. */
export type EntityFormat =
  | { type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' | 'blockquote' }
  | { type: 'pre'; language?: string }
  | { type: 'text_link'; url: string }

/** Formats a text as a whole, around the formatting it has. A blank text stays as it is. */
export function format({ text, entities }: FormattedText, formatting: EntityFormat): FormattedText {
  if (text.trim() === '') return { text, entities }
  return { text, entities: [{ ...formatting, offset: 0, length: text.length }, ...entities] }
}
