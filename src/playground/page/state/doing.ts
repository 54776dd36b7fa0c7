import { words } from '../words/language.ts'
import type { ChatState } from './chat-state.ts'

/**
 * Describes what the bot is doing in a chat or in one topic of it; undefined when it is doing nothing.
 */
export function doingIn(chat: ChatState, threadId?: number): string | undefined {
  const { doing } = words.value.shell
  const drafts = [...chat.drafts.value.values()]
  const isWriting = drafts.some((draft) => isIn(draft.thread_id, threadId))
  if (isWriting) return doing.typing
  const actions = [...chat.actions.value.values()]
  const action = actions.find((shown) => isIn(shown.thread_id, threadId))?.action
  if (action === undefined) return undefined
  return Object.entries(doing).find(([name]) => name === action)?.[1] ?? doing.typing
}

function isIn(actual: number, wanted: number | undefined): boolean {
  return wanted === undefined || actual === wanted
}
