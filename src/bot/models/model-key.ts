import { createHash } from 'node:crypto'

/** What a button may carry is bounded at 64 bytes by Telegram, so that a long id goes by its digest. */
const DIGEST_CHARS = 16

/** Stands for a model in the data of a button. */
export function modelKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, DIGEST_CHARS)
}
