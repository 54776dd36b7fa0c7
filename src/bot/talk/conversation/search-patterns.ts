/** More words narrow nothing that these do not. */
const WORDS_MAX = 8
const WORD_CHARS_MAX = 64

/**
 * Regular expressions of PostgreSQL, one for each word that is looked for, in any case and with е for ё.
 *
 * The cases are spelled out: a database whose locale is C, as the embedded one, knows those of ASCII alone.
 */
export function toSearchPatterns(words: string): string[] {
  const parts = words.split(/\s+/).filter((word) => word !== '')
  return parts.slice(0, WORDS_MAX).map((word) => {
    const characters = [...word].slice(0, WORD_CHARS_MAX)
    return characters.map(toPattern).join('')
  })
}

function toPattern(character: string): string {
  if (/[её]/i.test(character)) return '[ЕеЁё]'
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()])
  // Some letters become two in the other case.
  const single = [...cases].filter((one) => [...one].length === 1)
  if (single.length > 1) return `[${single.join('')}]`
  return /[\p{L}\p{N}]/u.test(character) ? character : `\\${character}`
}
