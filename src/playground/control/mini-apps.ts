import { createHmac, randomBytes } from 'node:crypto'
import type { User } from 'grammy/types'
import { menuButtonOf } from '../methods/menu-button.ts'
import type { MethodDeps } from '../methods/method.ts'
import { addServiceMessage } from '../world/service-messages.ts'
import { buttonsOf, webAppOf } from './buttons-of.ts'

const DATA_BYTES_MAX = 4_096

type MiniAppsDeps = Pick<MethodDeps, 'world' | 'queue' | 'menuButtons' | 'clock'>

/**
 * The steps of people with Mini Apps.
 *
 * @param token Signs the init data of a page.
 * @param signs False where others would get data that a bot in Telegram takes for its own users'.
 */
export function createMiniApps(
  deps: MiniAppsDeps,
  { token, signs }: { token: string; signs: boolean },
) {
  const { world, menuButtons, clock } = deps
  return { initData, opensWebApp, sendsWebAppData }

  /** Makes the init data of a page that a user opens from the bot now. @throws If the playground signs none. */
  function initData(userId: number): string {
    if (!signs) {
      throw new Error(
        'Cannot sign: BOT_TOKEN is given, and HOST is no address of this machine alone',
      )
    }
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

  /** Sends the bot the data of a page that a button of a reply keyboard opened. */
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

/**
 * Makes the data that Telegram gives a Mini App, signed with the bot's token.
 *
 * @see https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
 */
export function makeInitData(user: User, { token, at }: { token: string; at: Date }): string {
  const fields = {
    // Another one each time the page is opened, as Telegram's.
    query_id: `AAHdF6IQAAAAAN0X${randomBytes(6).toString('hex')}`,
    user: JSON.stringify({ ...user, allows_write_to_pm: true }),
    auth_date: String(Math.floor(at.getTime() / 1000)),
    // Of a key that only Telegram has; the hash covers it all the same.
    signature: Buffer.alloc(64, user.id % 256).toString('base64url'),
  }
  const checked = Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n')
  const key = createHmac('sha256', 'WebAppData').update(token).digest()
  const hash = createHmac('sha256', key).update(checked).digest('hex')
  return new URLSearchParams({ ...fields, hash }).toString()
}
