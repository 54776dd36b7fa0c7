import { signal } from '@preact/signals'
import type { ChatState } from '../state/chat-state.ts'

/** Messages that wait for the chat that they go to. */
export interface Forwarding {
  from: ChatState
  messageIds: readonly number[]
}

/** The messages that are being forwarded; the dialog shows while there are some. */
export const forwarding = signal<Forwarding | undefined>(undefined)

/** Asks the person for the chat that messages go to. */
export function startForward(from: ChatState, messageIds: readonly number[]): void {
  forwarding.value = { from, messageIds }
}
