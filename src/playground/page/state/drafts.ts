import { signal } from '@preact/signals'
import type { WireMessage } from '../../web/api.ts'

/** A chat and, in a forum, the topic; 0 outside of topics. */
export interface ChatThread {
  chatId: number
  threadId: number
}

export type Intent =
  | { type: 'reply'; message: WireMessage; quote?: string }
  | { type: 'edit'; message: WireMessage }

const intents = signal<ReadonlyMap<string, Intent>>(new Map())

export function threadKey({ chatId, threadId }: ChatThread): string {
  return `${chatId}/${threadId}`
}

/** Returns undefined if the next message is simply a new one. */
export function intentOf(thread: ChatThread): Intent | undefined {
  return intents.value.get(threadKey(thread))
}

/** Begins a reply or an edit; undefined ends it. */
export function setIntent(thread: ChatThread, intent: Intent | undefined): void {
  const others = new Map(intents.value)
  if (intent === undefined) others.delete(threadKey(thread))
  else others.set(threadKey(thread), intent)
  intents.value = others
}

/**
 * Returns the text that a person wrote in a chat thread and did not send. It survives a reload, and ends with the
 * tab, so that two tabs do not write into one field.
 */
export function readDraft(author: number | undefined, thread: ChatThread): string {
  return sessionStorage.getItem(keyOf(author, thread)) ?? ''
}

/** Keeps a text for a chat thread; an empty text is removed. */
export function keepDraft(author: number | undefined, thread: ChatThread, text: string): void {
  const key = keyOf(author, thread)
  try {
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  } catch {
    // Millions of characters do not fit: the text stays in the field only.
    sessionStorage.removeItem(key)
  }
}

function keyOf(author: number | undefined, thread: ChatThread): string {
  return `text/${author ?? ''}/${threadKey(thread)}`
}
