/**
 * Whether a message says nothing but stop. Case and marks do not matter.
 *
 * @param words The words for it in the language of its user, separated by commas.
 */
export function saysStop(text: string, words: string): boolean {
  const said = bare(text)
  return words.split(',').some((word) => bare(word) === said)
}

function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\s-]/gu, '')
    .trim()
}
