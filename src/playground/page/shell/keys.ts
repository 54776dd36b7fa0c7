import { searchCalls } from '../chats/sought.ts'
import { replaceRoute, route, show } from '../route.ts'
import { chatShown, chatsInOrder, threadShown } from '../state/chats.ts'
import { isWide } from './is-wide.ts'

/**
 * The keys of the whole page: Ctrl+K looks for a chat, Alt with an arrow goes to the next one, Escape leaves what
 * is open. What has a use for a key of its own keeps it from here.
 */
export function followKeys(): void {
  addEventListener('keydown', (event) => {
    const isTaken = event.defaultPrevented || event.isComposing
    if (isTaken || document.querySelector('dialog[open]') !== null) return
    if (takeKey(event)) event.preventDefault()
  })
}

function takeKey({ key, code, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  // By its position: on a Russian keyboard the letter is another one.
  if (code === 'KeyK' && (ctrlKey || metaKey)) {
    if (!isWide()) show({ chatId: undefined, hasPanel: false })
    searchCalls.value += 1
    return true
  }
  if (altKey && key === 'ArrowDown') return step(1)
  if (altKey && key === 'ArrowUp') return step(-1)
  return key === 'Escape' && leave()
}

function step(by: 1 | -1): boolean {
  const list = chatsInOrder.value
  const at = list.findIndex(({ id }) => id === route.value.chatId)
  const next = list[at === -1 ? 0 : at + by]
  if (next !== undefined) show({ chatId: next.id })
  return true
}

/**
 * Goes from a topic to the list of topics, from a chat to the list of chats; the panel goes last, unless one is in
 * it.
 */
function leave(): boolean {
  if (route.value.hasPanel && isInPanel()) return leavePanel()
  if (chatShown.value !== undefined) {
    const isTopic = threadShown.value !== undefined
    show(isTopic ? { threadId: undefined } : { chatId: undefined })
    return true
  }
  return route.value.hasPanel && leavePanel()
}

/** A narrow page shows the panel and nothing else. */
function isInPanel(): boolean {
  return !isWide() || document.activeElement?.closest('.panel') instanceof HTMLElement
}

function leavePanel(): boolean {
  const { activeElement: field } = document
  // The browser empties a field of search by the same key.
  if (field instanceof HTMLInputElement && field.type === 'search' && field.value !== '')
    return false
  replaceRoute({ hasPanel: false })
  return true
}
