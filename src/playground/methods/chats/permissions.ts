import { API_CONSTANTS } from 'grammy'
import type { ChatPermissions } from 'grammy/types'
import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, jsonOf, type Params } from '../../wire/params.ts'

type Permission = keyof typeof API_CONSTANTS.ALL_CHAT_PERMISSIONS

const PERMISSIONS = Object.keys(API_CONSTANTS.ALL_CHAT_PERMISSIONS) as Permission[]

/** The permissions that come along with those that need others, unless they are given one by one. */
const MEDIA: readonly Permission[] = [
  'can_send_messages',
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
]
const IMPLIED: Partial<Record<Permission, readonly Permission[]>> = {
  can_send_other_messages: MEDIA,
  can_add_web_page_previews: MEDIA,
  can_send_polls: ['can_send_messages'],
}

/** Every permission by name; what is not named is allowed. */
export function toPermissions(given: ChatPermissions): Record<Permission, boolean> {
  return fromNames((name) => given[name] ?? true)
}

/** Reads `permissions`, where what is not named is forbidden. */
export function readPermissions(params: Params): Record<Permission, boolean> {
  const value = jsonOf(params, 'permissions', "can't parse permissions JSON object")
  if (value === undefined) throw badRequest("can't find field permissions")
  if (!isJsonObject(value)) throw badRequest('object expected as permissions')
  const given = fromNames((name) => readFlag(value, name))
  if (boolOf(params, 'use_independent_chat_permissions')) return given
  const implied = PERMISSIONS.filter((name) => given[name]).flatMap((name) => IMPLIED[name] ?? [])
  return fromNames((name) => given[name] || implied.includes(name))
}

function readFlag(value: JsonObject, name: Permission): boolean {
  const flag = value[name] ?? false
  if (typeof flag === 'boolean') return flag
  throw badRequest(`can't parse chat permissions: Field "${name}" must be of type Boolean`)
}

function fromNames(isAllowed: (name: Permission) => boolean): Record<Permission, boolean> {
  const entries = PERMISSIONS.map((name) => [name, isAllowed(name)])
  return Object.fromEntries(entries) as Record<Permission, boolean>
}
