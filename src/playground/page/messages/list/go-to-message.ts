import { attempt } from '../../dialogs/attempt.ts'
import { toast } from '../../dialogs/notices.ts'
import type { ChatState } from '../../state/chat-state.ts'
import { loadOlder } from '../../state/chats.ts'
import { words } from '../../words/language.ts'
import { elementIdOf } from '../bubble/element-id.ts'
import { showFlash } from '../rich/anchors.ts'

/** How far back a message is looked for. */
const PAGES_MAX = 40

/**
 * Scrolls to a message and marks it for a moment, loading older ones until it is there.
 *
 * @param leaveEnd Called before: what is loaded would be followed by the end otherwise.
 */
export async function goToMessage(
  chat: ChatState,
  messageId: number,
  leaveEnd: () => void,
): Promise<void> {
  leaveEnd()
  for (let page = 0; page < PAGES_MAX; page += 1) {
    if (isLoaded(chat, messageId) || !chat.hasMore.peek()) break
    if (!(await attempt(() => loadOlder(chat)))) return
  }
  // What was loaded is drawn in one frame and settles at its end: in the next one all is at rest.
  await nextFrame()
  await nextFrame()
  const bubble = document.getElementById(elementIdOf(messageId))
  if (bubble === null) toast(words.value.message.notHere)
  else showFlash(bubble, 'center')
}

function nextFrame(): Promise<unknown> {
  return new Promise(requestAnimationFrame)
}

function isLoaded(chat: ChatState, messageId: number): boolean {
  return chat.messages.peek().some(({ message }) => message.message_id === messageId)
}
