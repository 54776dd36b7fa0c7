import type { BotCommand, BotCommandScope, MenuButton } from 'grammy/types'
import { isJsonObject } from '../../platform/http/json.ts'
import { checkWebAppUrl } from '../content/markup.ts'
import { codePoints } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { jsonOf, type Params, textOf } from '../wire/params.ts'
import type { World } from '../world/world.ts'
import type { Method } from './method.ts'

const COMMANDS_MAX = 100
const COMMAND_CHARS_MAX = 32
const DESCRIPTION_CHARS_MAX = 256
const WHOLE_SCOPES = ['default', 'all_private_chats', 'all_group_chats'] as const

const setMyCommands: Method = ({ params }, { world, state }) => {
  const commands = readCommands(params)
  const { key, ...where } = readWhere(params, world)
  state.commandLists.set(key, { ...where, commands })
  return { result: true }
}

/** Returns the list of exactly this scope and language, which need not be the list that a person sees. */
const getMyCommands: Method = ({ params }, { world, state }) => {
  const { key } = readWhere(params, world)
  return { result: state.commandLists.get(key)?.commands ?? [] }
}

const deleteMyCommands: Method = ({ params }, { world, state }) => {
  state.commandLists.delete(readWhere(params, world).key)
  return { result: true }
}

function readWhere(params: Params, world: World) {
  const scope = readScope(params, world)
  const languageCode = readLanguage(params)
  return { scope, languageCode, key: JSON.stringify([scope, languageCode]) }
}

function readCommands(params: Params): BotCommand[] {
  const value = jsonOf(params, 'commands', "can't parse commands JSON object") ?? []
  if (!Array.isArray(value)) throw badRequest('expected an Array of BotCommand')
  if (value.length > COMMANDS_MAX) throw badRequest('BOT_COMMANDS_TOO_MUCH')
  return value.map(readCommand)
}

function readCommand(value: unknown): BotCommand {
  if (!isJsonObject(value)) throw badRequest("can't parse BotCommand: expected an Object")
  const command = String(value.command ?? '')
    .trim()
    .replace(/^\//, '')
  const description = String(value.description ?? '').trim()
  if (command === '') throw badRequest('command must be non-empty')
  if (codePoints(command) > COMMAND_CHARS_MAX) {
    throw badRequest(`command length must not exceed ${COMMAND_CHARS_MAX}`)
  }
  if (description === '') throw badRequest('command description must be non-empty')
  if (codePoints(description) > DESCRIPTION_CHARS_MAX) {
    throw badRequest(`command description length must not exceed ${DESCRIPTION_CHARS_MAX}`)
  }
  if (!/^[a-z0-9_]+$/.test(command)) throw badRequest('BOT_COMMAND_INVALID')
  return { command, description }
}

/** Empty for people of every language. */
function readLanguage(params: Params): string {
  const code = textOf(params, 'language_code')
  if (code !== '' && !/^[a-z]{2}$/.test(code)) throw badRequest('invalid language code specified')
  return code
}

function readScope(params: Params, world: World): BotCommandScope {
  const value = jsonOf(params, 'scope', "can't parse BotCommandScope JSON object")
  if (value === undefined) return { type: 'default' }
  if (!isJsonObject(value)) throw badRequest("can't parse BotCommandScope: expected an Object")
  const whole = WHOLE_SCOPES.find((type) => type === value.type)
  if (whole) return { type: whole }
  if (value.type !== 'chat') {
    throw badRequest("can't parse BotCommandScope: unsupported type specified")
  }
  const chat = world.accessChat(String(value.chat_id ?? ''), 'read')
  return { type: 'chat', chat_id: chat.id }
}

const PROFILE_CHARS_MAX = { name: 64, description: 512, short_description: 120 } as const

type Field = keyof typeof PROFILE_CHARS_MAX

/** An empty text takes the one of the language away. */
function setText(field: Field): Method {
  return ({ params }, { state: { profile } }) => {
    const text = textOf(params, field).trim()
    const key = keyOf(field, readLanguage(params))
    if (codePoints(text) > PROFILE_CHARS_MAX[field]) throw badRequest(`${field} is too long`)
    if (text === '') profile.delete(key)
    else profile.set(key, text)
    return { result: true }
  }
}

/** A language without a text of its own has the one of no language; the name is never empty. */
function getText(field: Field): Method {
  return ({ params }, { state: { profile }, world }) => {
    const own = profile.get(keyOf(field, readLanguage(params))) ?? profile.get(keyOf(field, ''))
    return { result: { [field]: own ?? (field === 'name' ? world.me.first_name : '') } }
  }
}

function keyOf(field: Field, languageCode: string): string {
  return `${field} ${languageCode}`
}

const EVERYBODY = 0

const setChatMenuButton: Method = ({ params }, { world, state: { menuButtons } }) => {
  const userId = readUserId(params, world.people)
  const button = readButton(params)
  if (button.type === 'default') menuButtons.delete(userId)
  else menuButtons.set(userId, button)
  return { result: true }
}

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

function readButton(params: Params): MenuButton {
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
  checkWebAppUrl(url, 'menu button')
  return { type, text, web_app: { url } }
}

export const botMethods = {
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  setMyName: setText('name'),
  getMyName: getText('name'),
  setMyDescription: setText('description'),
  getMyDescription: getText('description'),
  setMyShortDescription: setText('short_description'),
  getMyShortDescription: getText('short_description'),
  setChatMenuButton,
}
