/** Characters of one message, as Telegram counts them: code points. */
export const TEXT_CHARS_MAX = 4_096

/** The part of a message, at its end, in which it may be cut at a line or a word. */
const SLACK = 4

/** How many messages the playground makes of a text: it cuts near the limit, where a line or a word ends. */
export function countMessages(given: string): number {
  const text = given.trim()
  let count = 0
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start)
    // What is only spaces is not sent.
    if (text.slice(start, end).trim() !== '') count++
    start = end
  }
  return count
}

function endOf(text: string, start: number): number {
  let limit = start
  for (let count = 0; count < TEXT_CHARS_MAX && limit < text.length; count++) {
    limit += (text.codePointAt(limit) ?? 0) > 0xffff ? 2 : 1
  }
  if (limit === text.length) return limit
  const earliest = limit - Math.floor((limit - start) / SLACK)
  const ends = ['\n', ' '].map((separator) => text.lastIndexOf(separator, limit - 1) + 1)
  return ends.find((end) => end > earliest) ?? limit
}
