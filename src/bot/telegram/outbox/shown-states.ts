import { createHash } from 'node:crypto'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Body } from './body.ts'
import type { MessageRef } from './outgoing.ts'

/** What is known of a message is not relied on for longer: another process may have changed it unheard. */
const KNOWN_MS = 60_000
const CHATS_MAX = 1000
const MESSAGES_MAX = 20

/** What a message is to show: all of it, or its keyboard alone. */
export interface ShownState {
  body?: Body | undefined
  keyboard: InlineKeyboardMarkup | undefined
}

interface KnownState {
  /** Undefined where only the keyboard is known. */
  body: string | undefined
  keyboard: string
  at: number
}

/**
 * Remembers what messages show since the last calls of this process, so that an edit which would change nothing need
 * not be made.
 */
export function createShownStates(clock: Clock) {
  const chats = new Map<number, Map<number, KnownState>>()
  return { isShown, record, forget, forgetChat: (chatId: number) => void chats.delete(chatId) }

  function isShown(message: MessageRef, { body, keyboard }: ShownState): boolean {
    const known = find(message)
    if (known === undefined) return false
    const isSameBody = body === undefined || known.body === digestBody(body)
    return isSameBody && known.keyboard === digestKeyboard(keyboard)
  }

  /** What it left as it was is known as long as before. */
  function record(message: MessageRef, { body, keyboard }: ShownState): void {
    const { chatId, messageId } = message
    const kept = body === undefined ? find(message) : undefined
    const messages = chats.get(chatId) ?? new Map<number, KnownState>()
    messages.delete(messageId)
    messages.set(messageId, {
      body: body === undefined ? kept?.body : digestBody(body),
      keyboard: digestKeyboard(keyboard),
      at: kept?.at ?? clock.now(),
    })
    chats.delete(chatId)
    chats.set(chatId, messages)
    dropOldest(messages, MESSAGES_MAX)
    dropOldest(chats, CHATS_MAX)
  }

  function forget({ chatId, messageId }: MessageRef): void {
    chats.get(chatId)?.delete(messageId)
  }

  function find({ chatId, messageId }: MessageRef): KnownState | undefined {
    const known = chats.get(chatId)?.get(messageId)
    return known && clock.now() - known.at <= KNOWN_MS ? known : undefined
  }
}

export type ShownStates = ReturnType<typeof createShownStates>

function dropOldest(map: Map<number, unknown>, sizeMax: number): void {
  const [oldest] = map.keys()
  if (map.size > sizeMax && oldest !== undefined) map.delete(oldest)
}

function digestBody(body: Body): string {
  if ('markdown' in body) return digest([body.markdown, body.isRtl === true])
  return digest({ text: body.text, entities: body.entities ?? [] })
}

function digestKeyboard(keyboard: InlineKeyboardMarkup | undefined): string {
  return keyboard?.inline_keyboard.length ? digest(keyboard) : ''
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64')
}
