import { signal } from '@preact/signals'
import type { ChatState } from '../state/chat-state.ts'

/** Messages of a chat that the person is about to forward. */
export interface Forwarded {
  chat: ChatState
  messageIds: readonly number[]
}

/** Those whose new place is being asked for, until one is chosen or the question is closed. */
export const forwarded = signal<Forwarded | undefined>(undefined)

/** Asks where messages are to be forwarded to. */
export function askWhereTo(messages: Forwarded): void {
  forwarded.value = messages
}
