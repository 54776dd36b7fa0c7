/** Characters, as Telegram counts them: code points. */
export const TEXT_CHARS_MAX = 4_096

/** A text is cut where it can be read: at a line's end, else between words, in the last part of a message. */
const CUT_CHARS = 1_024

/** How many messages a text becomes, as the playground splits it. */
export function countMessages(text: string): number {
  const characters = [...text.trim()]
  let count = 1
  for (let start = 0; characters.length - start > TEXT_CHARS_MAX; count++) {
    start = cutAfter(characters, start)
  }
  return count
}

function cutAfter(characters: readonly string[], start: number): number {
  for (const canCut of [/\n/, /\s/]) {
    for (let end = start + TEXT_CHARS_MAX; end > start + TEXT_CHARS_MAX - CUT_CHARS; end--) {
      if (canCut.test(characters[end - 1] ?? '')) return end
    }
  }
  return start + TEXT_CHARS_MAX
}
