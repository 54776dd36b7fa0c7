import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32
/** 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/

/** Makes a token that cannot be guessed. */
export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/**
 * Hashes a token, as it is kept and found: looking it up takes as long for a wrong one as for one that is nearly
 * right, and what is stored opens nothing.
 *
 * @returns Undefined for what cannot be a token of ours.
 */
export function hashOfToken(token: string): Buffer<ArrayBuffer> | undefined {
  return TOKEN.test(token) ? createHash('sha256').update(token).digest() : undefined
}
