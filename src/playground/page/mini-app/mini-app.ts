import { signal } from '@preact/signals'
import { attempt } from '../notices/attempt.ts'
import type { ChatState } from '../state/chat-state.ts'
import { act } from '../talk/request.ts'

/** A Mini App that is open. */
export interface MiniApp {
  chat: ChatState
  /** With what Telegram tells it in the part after `#`. */
  url: string
  initData: string
  /** Empty: it is named by its host. */
  title: string
}

/** The Mini App that shows; at most one. */
export const miniApp = signal<MiniApp | undefined>(undefined)

/**
 * Opens a Mini App from a button. Tells the person if the playground refuses.
 *
 * @param title The text of the button.
 */
export async function openMiniApp(from: {
  chat: ChatState
  url: string
  title?: string
}): Promise<void> {
  const { chat, url, title = '' } = from
  await attempt(async () => {
    const { init_data: initData } = await act('/chats/:id/web-apps', { url }, chat.id)
    miniApp.value = { chat, url, initData, title }
  })
}
