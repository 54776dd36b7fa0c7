import { isDeepStrictEqual } from 'node:util'
import type { Body } from './body.ts'

const CHATS_MAX = 1000

interface Ref {
  chatId: number
  messageId: number
}

interface Shown {
  body: Body
  keyboard: unknown
}

/**
 * What the last edit of each chat showed, for as long as it was the last.
 *
 * The final text of a reply often stands in the chat already, by an edit that was on its way when
 * the reply ended: the edit that nobody would see is not made.
 */
export function createShownBodies() {
  const last = new Map<number, { messageId: number; shown: Shown }>()
  return { note, has, forget }

  function note({ chatId, messageId }: Ref, shown: Shown): void {
    last.delete(chatId)
    last.set(chatId, { messageId, shown })
    if (last.size <= CHATS_MAX) return
    for (const oldest of last.keys()) {
      last.delete(oldest)
      break
    }
  }

  function has({ chatId, messageId }: Ref, shown: Shown): boolean {
    const known = last.get(chatId)
    return known?.messageId === messageId && isDeepStrictEqual(known.shown, shown)
  }

  function forget({ chatId }: Ref): void {
    last.delete(chatId)
  }
}
