import type { BotCommand, BotCommandScope } from 'grammy/types'
import { isJsonObject } from '../../platform/http/json.ts'
import { codePoints } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { jsonOf, type Params, textOf } from '../wire/params.ts'
import type { World } from '../world/world.ts'
import type { Method } from './method.ts'

const COMMANDS_MAX = 100
const COMMAND_CHARS_MAX = 32
const DESCRIPTION_CHARS_MAX = 256
const WHOLE_SCOPES = [
  'default',
  'all_private_chats',
  'all_group_chats',
  'all_chat_administrators',
] as const

const setMyCommands: Method = ({ params }, { world, commandLists }) => {
  const commands = readCommands(params)
  const { key, ...where } = readWhere(params, world)
  commandLists.set(key, { ...where, commands })
  return { result: true }
}

/** The list of exactly this scope and language; what a person sees is another matter. */
const getMyCommands: Method = ({ params }, { world, commandLists }) => {
  const { key } = readWhere(params, world)
  return { result: commandLists.get(key)?.commands ?? [] }
}

const deleteMyCommands: Method = ({ params }, { world, commandLists }) => {
  commandLists.delete(readWhere(params, world).key)
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
export function readLanguage(params: Params): string {
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
  const { type } = value
  if (type !== 'chat' && type !== 'chat_administrators' && type !== 'chat_member') {
    throw badRequest("can't parse BotCommandScope: unsupported type specified")
  }
  const chat = world.accessChat(String(value.chat_id ?? ''), 'read')
  if (type === 'chat') return { type, chat_id: chat.id }
  if (chat.type === 'private') throw badRequest("can't use specified scope in private chats")
  if (type === 'chat_administrators') return { type, chat_id: chat.id }
  const userId = Number(value.user_id)
  if (!chat.members.has(userId)) throw badRequest('user not found')
  return { type, chat_id: chat.id, user_id: userId }
}

export const commandMethods = { setMyCommands, getMyCommands, deleteMyCommands }
