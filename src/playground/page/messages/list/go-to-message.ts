import { attempt } from '../../notices/attempt.ts'
import { toast } from '../../notices/notices.ts'
import type { ChatState } from '../../state/chat-state.ts'
import { loadOlder } from '../../state/chats.ts'
import { words } from '../../words/language.ts'
import { elementIdOf } from '../bubble/element-id.ts'
import { showFlash } from '../rich/anchors.ts'

/** How far back a message is looked for. */
const PAGES_MAX = 40

/** Scrolls to a message and marks it for a moment, loading older ones until it is there. */
export async function goToMessage(chat: ChatState, messageId: number): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page += 1) {
    if (isLoaded(chat, messageId) || !chat.hasMore.peek()) break
    if (!(await attempt(() => loadOlder(chat)))) return
  }
  // What was loaded is drawn before the next frame.
  requestAnimationFrame(() => {
    const bubble = document.getElementById(elementIdOf(messageId))
    if (bubble === null) toast(words.value.message.notHere)
    else showFlash(bubble, 'center')
  })
}

function isLoaded(chat: ChatState, messageId: number): boolean {
  return chat.messages.peek().some(({ message }) => message.message_id === messageId)
}
