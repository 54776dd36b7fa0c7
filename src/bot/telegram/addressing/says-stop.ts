/** Checks whether a message is nothing but a word for stop. Case and marks do not matter. */
export function saysStop(text: string, words: string): boolean {
  const given = bare(text)
  return words.split(',').some((word) => bare(word) === given)
}

function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\s-]/gu, '')
    .trim()
}
