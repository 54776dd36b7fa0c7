import { createHash, randomBytes } from 'node:crypto'

/** Below the root; the key of an order follows. */
export const CALLBACK_PATH = '/callbacks/'
/** Below the root; a token follows. */
export const PICTURE_PATH = '/pictures/'
const TOKEN_BYTES = 32
/** 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/

export function makePictureToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

export function toPictureUrl(root: string, token: string): string {
  return `${root}${PICTURE_PATH}${token}`
}

/** Accepts any root; returns undefined if the URL is not ours. */
export function tokenOfPictureUrl(url: string): string | undefined {
  const start = url.lastIndexOf(PICTURE_PATH)
  const token = url.slice(start + PICTURE_PATH.length)
  return start >= 0 && TOKEN.test(token) ? token : undefined
}

/** Returns null if the order has no stored picture. */
export function hashOfPictureUrl(url: string | undefined): Uint8Array<ArrayBuffer> | null {
  const token = url === undefined ? undefined : tokenOfPictureUrl(url)
  return token === undefined ? null : hashOfPictureToken(token)
}

/** Pictures are stored by hash: the time of a lookup reveals nothing about a token, and a hash opens nothing. */
export function hashOfPictureToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest())
}
