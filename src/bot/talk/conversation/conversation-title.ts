import { shortenLine } from '../../locales/shorten.ts'

/** The longest title, in Unicode code points. */
export const TITLE_CHARS_MAX = 64

/** The beginning of a prompt in reply: a lead, the quoted lines below it, and the gap after them. */
const QUOTE = /^[^\n]*\n(?:>[^\n]*(?:\n|$))+\n*/

const FENCE = /\n`{3,}/

/** The parts of a conversation that its title is made of. */
export interface Titled {
  title: string | null
  firstWords: string
}

/** Returns the name that a user gave a conversation, otherwise its first words. */
export function titleOf({ title, firstWords }: Titled): string {
  if (title !== null) return title
  const [paragraph = ''] = questionOf(firstWords)
    .trim()
    .split(/\n\s*\n/)
  return shortenLine(paragraph.replace(/:\s*$/, ''), TITLE_CHARS_MAX)
}

/** Returns the user's own words of a prompt, up to a file or code; the words that it quotes if it has no own ones. */
export function questionOf(prompt: string): string {
  const question = prompt.replace(QUOTE, '')
  const [words = ''] = question.split(FENCE)
  if (words.trim() !== '') return words
  if (question.trim() !== '') return question
  const quoted = prompt.split('\n').filter((line) => line.startsWith('>'))
  return quoted.map((line) => line.slice(1)).join('\n')
}
