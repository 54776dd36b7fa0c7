import type { MenuButton } from 'grammy/types'
import { isJsonObject } from '../../platform/http/json.ts'
import { checkWebAppUrl, type OpenedPages } from '../content/markup.ts'
import { badRequest } from '../wire/envelope.ts'
import { jsonOf, type Params, textOf } from '../wire/params.ts'
import type { Method } from './method.ts'

/** The button of everybody who has none of their own. */
const EVERYBODY = 0

const setChatMenuButton: Method = ({ params }, { world, menuButtons }) => {
  const userId = readUserId(params, world.people)
  const button = readButton(params, world)
  if (button.type === 'default') menuButtons.delete(userId)
  else menuButtons.set(userId, button)
  return { result: true }
}

const getChatMenuButton: Method = ({ params }, { world, menuButtons }) => ({
  result: menuButtonOf(readUserId(params, world.people), menuButtons),
})

/** The button that a user sees beside the field for their message. */
export function menuButtonOf(
  userId: number,
  menuButtons: ReadonlyMap<number, MenuButton>,
): MenuButton {
  return menuButtons.get(userId) ?? menuButtons.get(EVERYBODY) ?? { type: 'default' }
}

function readUserId(params: Params, people: ReadonlyMap<number, unknown>): number {
  const chatId = textOf(params, 'chat_id')
  if (chatId === '') return EVERYBODY
  if (!people.has(Number(chatId))) throw badRequest('user not found')
  return Number(chatId)
}

function readButton(params: Params, opens: OpenedPages): MenuButton {
  const value = jsonOf(params, 'menu_button', "can't parse menu button JSON object")
  if (value === undefined) return { type: 'default' }
  if (!isJsonObject(value)) throw badRequest('MenuButton must be an Object')
  const { type, text, web_app: webApp } = value
  if (type === 'default' || type === 'commands') return { type }
  if (type !== 'web_app') throw badRequest('MenuButton has unsupported type')
  if (typeof text !== 'string' || text.trim() === '') {
    throw badRequest('menu button text must be non-empty')
  }
  const url = isJsonObject(webApp) ? String(webApp.url ?? '') : ''
  checkWebAppUrl(url, 'menu button', opens)
  return { type, text, web_app: { url } }
}

export const menuButtonMethods = { setChatMenuButton, getChatMenuButton }
