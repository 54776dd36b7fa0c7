import { createHash, randomBytes } from 'node:crypto'

/** Below the root; the key of an order follows. */
export const CALLBACK_PATH = '/callbacks/'
/** Below the root; a token follows. */
export const PICTURE_PATH = '/pictures/'
const TOKEN_BYTES = 32
/** 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/

/** Makes the end of a picture's address, which cannot be guessed. */
export function makePictureToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** The address of a picture below a root. */
export function toPictureUrl(root: string, token: string): string {
  return `${root}${PICTURE_PATH}${token}`
}

/** The token of a picture's address, with any root; undefined if it is no address of ours. */
export function tokenOfPictureUrl(url: string): string | undefined {
  const start = url.lastIndexOf(PICTURE_PATH)
  const token = url.slice(start + PICTURE_PATH.length)
  return start >= 0 && TOKEN.test(token) ? token : undefined
}

/** The hash that ties an order to its picture; null if it has no stored picture. */
export function hashOfPictureUrl(url: string | undefined): Uint8Array<ArrayBuffer> | null {
  const token = url === undefined ? undefined : tokenOfPictureUrl(url)
  return token === undefined ? null : hashOfPictureToken(token)
}

/**
 * Makes the hash by which a picture is found: looking it up takes as long for a wrong token as for one that is nearly
 * right, and what is stored opens nothing.
 */
export function hashOfPictureToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest())
}
