import type { MessageEntity } from 'grammy/types'
import type { FormattedText } from '../../../rich-text/entities/formatted-text.ts'
import { writeTextLines } from '../../../rich-text/write/write-text.ts'
import type { Body } from '../../../telegram/message.ts'

const GAP = '\n\n'

/** Checks whether two bodies have the same words and the same look. */
export function isSameBody(one: Body | undefined, other: Body | undefined): boolean {
  if (one === undefined || other === undefined) return false
  if ('markdown' in one) {
    return 'markdown' in other && one.markdown === other.markdown && one.isRtl === other.isRtl
  }
  return 'text' in other && one.text === other.text && haveSameEntities(one, other)
}

function haveSameEntities(
  { entities: some = [] }: { entities?: MessageEntity[] | undefined },
  { entities: others = [] }: { entities?: MessageEntity[] | undefined },
): boolean {
  return some === others || JSON.stringify(some) === JSON.stringify(others)
}

/** Puts plain words in front of a message, as a paragraph of their own. */
export function withNoteAbove(body: Body, note: string): Body {
  if ('markdown' in body) {
    return { ...body, markdown: `${writeTextLines(note)}${GAP}${body.markdown}` }
  }
  const shift = note.length + GAP.length
  const entities = body.entities?.map((entity) => ({ ...entity, offset: entity.offset + shift }))
  return { text: `${note}${GAP}${body.text}`, ...(entities && { entities }) }
}

/** Puts plain words below Markdown: no sign of theirs means anything there. */
export function addNotes(markdown: string, notes: readonly string[]): string {
  const paragraphs = notes.flatMap((note) => note.split(GAP)).map(writeTextLines)
  return [...(markdown === '' ? [] : [markdown]), ...paragraphs].join(GAP)
}

/** Puts plain words below a formatted text. */
export function addNotesToText(
  { text, entities }: FormattedText,
  notes: readonly string[],
): FormattedText {
  return { text: [...(text === '' ? [] : [text]), ...notes].join(GAP), entities }
}
