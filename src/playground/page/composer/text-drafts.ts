import { type ChatThread, threadKey } from './chat-thread.ts'

/**
 * Reads the text that somebody wrote in a chat thread and did not send: it is there when they come back to it,
 * also after the page was loaded again. It ends with the tab, so that two tabs do not write into one field.
 */
export function readDraft(author: number | undefined, thread: ChatThread): string {
  return sessionStorage.getItem(keyOf(author, thread)) ?? ''
}

/** Keeps a text; an empty one is forgotten. */
export function keepDraft(author: number | undefined, thread: ChatThread, text: string): void {
  const key = keyOf(author, thread)
  if (text === '') {
    sessionStorage.removeItem(key)
    return
  }
  try {
    sessionStorage.setItem(key, text)
  } catch {
    // A text of millions of characters does not fit: it stays in the field, and is lost with the page.
    sessionStorage.removeItem(key)
  }
}

function keyOf(author: number | undefined, thread: ChatThread): string {
  return `text/${author ?? ''}/${threadKey(thread)}`
}
