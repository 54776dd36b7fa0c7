import { shortenLine } from '../../locales/shorten.ts'

/** In Unicode code points. */
export const TITLE_CHARS_MAX = 64

/** A lead, the quoted lines below it, and the gap after them: what a prompt in reply begins with. */
const QUOTE = /^[^\n]*\n(?:>[^\n]*(?:\n|$))+\n*/

/** Where the text of a file begins, which stands between fences. */
const FENCE = /\n`{3,}/

/** A conversation as far as it is known what it is about. */
export interface Titled {
  /** The name that a user gave it. */
  title: string | null
  /** The beginning of its first question. */
  firstWords: string
}

/** What a conversation is called: by the name that a user gave it, otherwise by its first words. */
export function titleOf({ title, firstWords }: Titled): string {
  if (title !== null) return title
  const [paragraph = ''] = questionOf(firstWords)
    .trim()
    .split(/\n\s*\n/)
  return shortenLine(paragraph.replace(/:\s*$/, ''), TITLE_CHARS_MAX)
}

/** The user's own words of a prompt, up to where a file or code begins; what it quotes where there are none. */
export function questionOf(prompt: string): string {
  const question = prompt.replace(QUOTE, '')
  const [words = ''] = question.split(FENCE)
  if (words.trim() !== '') return words
  if (question.trim() !== '') return question
  const quoted = prompt.split('\n').filter((line) => line.startsWith('>'))
  return quoted.map((line) => line.slice(1)).join('\n')
}
