/** What a character is to the rules of emphasis. The edge of a line counts as blank. */
export type CharacterClass = 'blank' | 'punctuation' | 'word'

/** Classes of CommonMark's flanking rules. */
export function classOf(character: string | undefined): CharacterClass {
  if (character === undefined || character === '' || /^\s/.test(character)) return 'blank'
  return /^[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word'
}

export function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9' && character.length === 1
}

export function isLatinLetter(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z]$/.test(character)
}

/** How often the character at `from` stands there in a row. */
export function runLength(text: string, from: number): number {
  let end = from
  while (end < text.length && text.charAt(end) === text.charAt(from)) end++
  return end - from
}

/** The longest row of one character in a text. */
export function longestRun(text: string, character: string): number {
  let longest = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at)) {
    const length = runLength(text, at)
    longest = Math.max(longest, length)
    at += length
  }
  return longest
}
