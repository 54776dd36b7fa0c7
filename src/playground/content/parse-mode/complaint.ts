import type { ApiError } from '../../wire/envelope.ts'
import { badRequest } from '../../wire/envelope.ts'

/** Refuses formatted text that cannot be read. */
export function unreadable(why: string): ApiError {
  return badRequest(`can't parse entities: ${why}`)
}

/** Telegram gives the offsets in its complaints in bytes of UTF-8. */
export function byteOffset(source: string, index: number): number {
  return Buffer.byteLength(source.slice(0, index))
}
