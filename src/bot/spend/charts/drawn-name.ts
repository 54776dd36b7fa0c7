import { shortenLine } from '../../locales/shorten.ts'

const NAME_CHARS_MAX = 40

/** Characters that the font lacks: emoji, and scripts beside Latin and Cyrillic. */
const NOT_DRAWN = /[^\u0020-\u007e\u00a0-\u017f\u0400-\u04ff\u2010-\u2026]/gu

/** Names a user in a picture: the name as far as it can be drawn, else the @username, else the id. */
export function drawnName({
  id,
  firstName,
  username,
}: {
  id: bigint
  firstName: string
  username: string | null
}): string {
  // Letters in fancy dress are plain ones after this.
  const plain = firstName.normalize('NFKC').replace(NOT_DRAWN, '')
  const name = shortenLine(plain, NAME_CHARS_MAX)
  // Of an emoji of several signs marks may be left.
  if (/[\p{L}\p{N}]/u.test(name)) return name
  return username === null ? `id ${id}` : `@${username}`
}
