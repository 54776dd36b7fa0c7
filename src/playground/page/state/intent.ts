import { signal } from '@preact/signals'
import type { WireMessage } from '../../web/api.ts'
import type { ChatState } from './chat-state.ts'

/** The kind of the person's next message, if it is not simply a new one. */
export type Intent =
  | { type: 'reply'; message: WireMessage; quote?: string }
  | { type: 'edit'; message: WireMessage }

const intents = signal<ReadonlyMap<string, Intent>>(new Map())

/** Returns what the person is about to do in a chat or topic; undefined: to write a new message. */
export function intentOf(chat: ChatState, threadId: number): Intent | undefined {
  return intents.value.get(keyOf(chat, threadId))
}

/** Messages begin a reply or an edit with it; the composer ends it with undefined. */
export function setIntent(chat: ChatState, threadId: number, intent: Intent | undefined): void {
  const others = new Map(intents.value)
  if (intent === undefined) others.delete(keyOf(chat, threadId))
  else others.set(keyOf(chat, threadId), intent)
  intents.value = others
}

function keyOf({ id }: ChatState, threadId: number): string {
  return `${id}/${threadId}`
}
