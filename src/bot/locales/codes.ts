import type { MessageEntity } from 'grammy/types'

/** Two characters that Unicode keeps for a program's own use: no text of a user or a model has them. */
const BEGIN = '\uFDD0'
const END = '\uFDD1'

const MARK = new RegExp(`[${BEGIN}${END}]`)
const MARKS = new RegExp(MARK, 'g')

/** A text, its formatting in UTF-16 units of it. */
interface MarkedText {
  text: string
  entities?: MessageEntity[] | undefined
}

/** Marks a code in a text, such as a command with its argument: `showCodes()` has a tap copy it. */
export function markCode(code: string): string {
  return `${BEGIN}${code}${END}`
}

/** Marks what stands between backticks in the source of the texts: what is put in there later may have some, too. */
export function markCodes(source: string): string {
  return source.replace(/`([^`\n]+)`/g, (_, code: string) => markCode(code))
}

/** Takes the marks out of a text that has no formatting, such as a notice. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, '')
}

/** Turns the marks of a text into formatting. Telegram copies a code when it is tapped. */
export function showCodes({ text, entities }: MarkedText): MarkedText {
  if (!MARK.test(text)) return { text, entities }
  const codes = [...text.matchAll(new RegExp(`${BEGIN}([^${BEGIN}${END}]*)${END}`, 'g'))].map(
    ({ index, 0: marked }): MessageEntity => ({
      type: 'code',
      offset: index,
      length: marked.length,
    }),
  )
  const toShown = (offset: number) => withoutMarks(text.slice(0, offset)).length
  const shown = [...(entities ?? []), ...codes].map((entity) => {
    const offset = toShown(entity.offset)
    return { ...entity, offset, length: toShown(entity.offset + entity.length) - offset }
  })
  return { text: withoutMarks(text), entities: shown }
}
