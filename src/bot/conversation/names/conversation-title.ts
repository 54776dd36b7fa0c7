import { shortenLine } from '../../shorten.ts'

/** In Unicode code points. */
export const TITLE_CHARS_MAX = 64

/** A lead, the quoted lines below it, and the gap after them: what a prompt in reply begins with. */
const QUOTE = /^[^\n]*\n(?:>[^\n]*(?:\n|$))+\n*/

/** A conversation as far as it is known what it is about. */
export interface Titled {
  /** The name that a user gave it. */
  title: string | null
  /** The beginning of its first question. */
  firstWords: string
}

/** What a conversation is called: by the name that a user gave it, otherwise by its first words. */
export function titleOf({ title, firstWords }: Titled): string {
  return title ?? shortenLine(questionOf(firstWords), TITLE_CHARS_MAX)
}

/** The user's own words of a prompt; what it quotes where there are none. */
export function questionOf(prompt: string): string {
  const question = prompt.replace(QUOTE, '')
  if (question.trim() !== '') return question
  const quoted = prompt.split('\n').filter((line) => line.startsWith('>'))
  return quoted.map((line) => line.slice(1)).join('\n')
}
