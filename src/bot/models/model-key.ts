import { createHash } from 'node:crypto'

/** Telegram bounds a button's data at 64 bytes, so that a digest stands for a long id. */
const DIGEST_CHARS = 16

/** Stands for a model in the data of a button. */
export function modelKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, DIGEST_CHARS)
}
