import { menuButtonOf } from '../api/methods/menu-button.ts'
import type { MethodDeps } from '../api/methods/method.ts'
import { addServiceMessage } from '../world/service-messages.ts'
import { buttonsOf, webAppOf } from './buttons-of.ts'
import { makeInitData } from './init-data.ts'

const DATA_BYTES_MAX = 4_096

export interface MiniAppsDeps
  extends Pick<MethodDeps, 'world' | 'queue' | 'menuButtons' | 'clock'> {
  /** Signs what a page is given. */
  token: string
}

/** What people do with Mini Apps. */
export function createMiniApps(deps: MiniAppsDeps) {
  const { world, menuButtons, clock, token } = deps
  return { initData, opensWebApp, sendsWebAppData }

  /** What a page is given that a user opens from the bot now. */
  function initData(userId: number): string {
    return makeInitData(world.personOf(userId).user, { token, at: clock.date() })
  }

  /** @returns What its page is given. @throws If nothing in the chat opens that page. */
  function opensWebApp({ userId, chatId, url }: { userId: number; chatId: number; url: string }) {
    const chat = world.chatOf(chatId)
    const menu = chat.type === 'private' ? menuButtonOf(userId, menuButtons) : undefined
    const isOffered =
      (menu?.type === 'web_app' && menu.web_app.url === url) ||
      [...chat.messages.values()].some((message) =>
        buttonsOf(message).some((button) => webAppOf(button) === url),
      )
    if (!isOffered) throw new Error('Cannot open: no button of this chat leads to that page')
    return initData(userId)
  }

  /** Of a page that a button of a reply keyboard opened: a message to the bot. */
  function sendsWebAppData(given: {
    userId: number
    chatId: number
    data: string
    buttonText: string
  }): void {
    const { userId, data, buttonText } = given
    const chat = world.chatOf(given.chatId)
    if (chat.type !== 'private') throw new Error('Cannot send data: only in a private chat')
    const size = Buffer.byteLength(data)
    if (size === 0 || size > DATA_BYTES_MAX) {
      throw new RangeError(`Cannot send data: it has 1 to ${DATA_BYTES_MAX} bytes`)
    }
    const isOffered = [...chat.messages.values()].some((message) =>
      buttonsOf(message).some((button) => button.text === buttonText && webAppOf(button)),
    )
    if (!isOffered) throw new Error('Cannot send data: no button of this chat has that text')
    const fields = { web_app_data: { data, button_text: buttonText } }
    addServiceMessage(deps, chat, fields, { userId })
  }
}

export type MiniApps = ReturnType<typeof createMiniApps>
