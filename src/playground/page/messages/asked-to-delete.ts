import { signal } from '@preact/signals'
import type { ChatState } from '../state/chat-state.ts'

interface AskedToDelete {
  chat: ChatState
  ids: readonly number[]
}

/** The messages that the person is asked about before they are deleted. */
export const askedToDelete = signal<AskedToDelete | undefined>(undefined)

/** Asks whether messages shall be deleted, which cannot be undone. */
export function askToDelete(asked: AskedToDelete): void {
  askedToDelete.value = asked
}
