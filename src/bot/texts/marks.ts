import type { MessageEntity } from 'grammy/types'

/** Unicode reserves these characters for internal use: no text of a user or a model has them. */
const CODE = '\uFDD0'
const CODE_END = '\uFDD1'
const TIME = '\uFDD2'
const TIME_AT = '\uFDD3'
const TIME_END = '\uFDD4'

const MARKED_CODE = new RegExp(`${CODE}([^${CODE}${CODE_END}]*)${CODE_END}`, 'g')
const MARKED_TIME = new RegExp(`${TIME}([^${TIME}-${TIME_END}]*)${TIME_AT}(\\d+)${TIME_END}`, 'g')
const MARK = new RegExp(`[${CODE}-${TIME_END}]`)
const MARKS = new RegExp(`${TIME_AT}\\d*${TIME_END}|[${CODE}-${TIME_END}]`, 'g')

/** The day in long form and the time: "March 17, 2022 at 22:45", in the format of each reader's app. */
const TIME_FORMAT = 'Dt'

interface MarkedText {
  text: string
  entities?: MessageEntity[] | undefined
}

/** Marks a code in a text, such as a command with its argument; a tap copies it. */
export function markCode(code: string): string {
  return `${CODE}${code}${CODE_END}`
}

/** Marks code between backticks in the source texts, before variables that may contain backticks. */
export function markCodes(source: string): string {
  return source.replace(/`([^`\n]+)`/g, (_, code: string) => markCode(code))
}

/** Marks a time in a text, which each reader then sees in their own zone. */
export function markTime(written: string, at: Date): string {
  return `${TIME}${written}${TIME_AT}${Math.floor(at.getTime() / 1000)}${TIME_END}`
}

/** Removes the marks from a text without formatting, such as a notice. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, '')
}

/** Turns the marks of a text into formatting. Telegram copies a code on a tap. */
export function showMarks({ text, entities }: MarkedText): MarkedText {
  if (!MARK.test(text)) return { text, entities }
  const codes = [...text.matchAll(MARKED_CODE)].map(
    ({ index, 0: marked }): MessageEntity => ({
      type: 'code',
      offset: index,
      length: marked.length,
    }),
  )
  const times = [...text.matchAll(MARKED_TIME)].map(
    ({ index, 0: marked, 2: unixTime }): MessageEntity => ({
      type: 'date_time',
      offset: index,
      length: marked.length,
      unix_time: Number(unixTime),
      date_time_format: TIME_FORMAT,
    }),
  )
  const toShown = (offset: number) => withoutMarks(text.slice(0, offset)).length
  const shown = [...(entities ?? []), ...codes, ...times].map((entity) => {
    const offset = toShown(entity.offset)
    return { ...entity, offset, length: toShown(entity.offset + entity.length) - offset }
  })
  return { text: withoutMarks(text), entities: shown }
}

/** Turns the marks of times in Markdown into Telegram's own signs. */
export function showMarksInMarkdown(markdown: string): string {
  if (!MARK.test(markdown)) return markdown
  const shown = markdown.replace(MARKED_TIME, `![$1](tg://time?unix=$2&format=${TIME_FORMAT})`)
  return withoutMarks(shown)
}
