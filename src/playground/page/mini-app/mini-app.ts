import { signal } from '@preact/signals'
import { attempt } from '../dialogs/attempt.ts'
import { act } from '../request.ts'
import type { ChatState } from '../state/chat-state.ts'
import { launchUrl } from './launch-url.ts'
import { readThemeParams } from './theme-params.ts'

/** A Mini App that is open. */
export interface MiniApp {
  chat: ChatState
  /** The address of the button. */
  url: string
  /** The address with Telegram's launch parameters in the part after `#`. */
  launchUrl: string
  /** The text of the reply keyboard's button: what it sends goes to the bot. Undefined for other buttons. */
  keyboardText: string | undefined
}

/** The Mini App that shows; at most one. */
export const miniApp = signal<MiniApp | undefined>(undefined)

/**
 * Opens a Mini App from a button. Shows the person a refusal by the playground.
 *
 * @param from.keyboardText Set for a button of a reply keyboard: the app learns nothing of who opens it, and may
 *   send the bot one text.
 */
export async function openMiniApp(from: {
  chat: ChatState
  url: string
  keyboardText?: string
}): Promise<void> {
  const { chat, url, keyboardText } = from
  await attempt(async () => {
    const { init_data: initData } = await act('/chats/:id/web-apps', { url }, chat.id)
    miniApp.value = {
      chat,
      url,
      keyboardText,
      launchUrl: launchUrl(url, {
        initData: keyboardText === undefined ? initData : '',
        themeParams: readThemeParams(),
      }),
    }
  })
}

/** Takes the Mini App off the page. */
export function closeMiniApp(): void {
  miniApp.value = undefined
}
