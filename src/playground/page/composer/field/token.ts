/** The word before the cursor that can be completed. */
export interface Token {
  kind: 'command' | 'mention'
  /** The word without its `/` or `@`, in lower case. */
  word: string
  /** The offset of the `/` or `@`, in UTF-16 units; `end` is the end of the word. */
  start: number
  end: number
}

/** Longer words are no one's name. */
const WORD_CHARS_MAX = 64

/**
 * Finds the word that is being written. A command is one only as the first word of a message, as clients have
 * it; a mention may stand after any space or bracket.
 */
export function findToken(text: string, cursor: number): Token | undefined {
  const before = text.slice(0, cursor)
  const command = /^\/(\w*)$/.exec(before)
  if (command !== null) return tokenOf('command', command[1] ?? '', { before, text, cursor })
  const mention = /(?:^|[\s([{"'«])@([\p{L}\p{N}_]*)$/u.exec(before)
  if (mention === null) return undefined
  return tokenOf('mention', mention[1] ?? '', { before, text, cursor })
}

function tokenOf(
  kind: Token['kind'],
  word: string,
  { before, text, cursor }: { before: string; text: string; cursor: number },
): Token | undefined {
  if (word.length > WORD_CHARS_MAX) return undefined
  const start = before.length - word.length - 1
  const rest = /^[\p{L}\p{N}_@]*/u.exec(text.slice(cursor))?.[0] ?? ''
  return { kind, word: word.toLowerCase(), start, end: cursor + rest.length }
}
