import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { badRequest } from '../wire/envelope.ts'
import { boolOf, jsonOf, NO_PARAMS, type Params, toTexts } from '../wire/params.ts'
import { readRights } from './chats/promotions.ts'
import type { Method } from './method.ts'

/** The rights that the bot asks for when somebody adds it as an administrator. */
const setMyDefaultAdministratorRights: Method = ({ params }, { profile }) => {
  const value = jsonOf(params, 'rights', "can't parse ChatAdministratorRights JSON object")
  if (value !== undefined && !isJsonObject(value)) {
    throw badRequest('object expected as ChatAdministratorRights')
  }
  if (value === undefined) profile.delete(keyOf(params))
  else profile.set(keyOf(params), JSON.stringify(value))
  return { result: true }
}

const getMyDefaultAdministratorRights: Method = ({ params }, { profile }) => {
  const value = parseJson(profile.get(keyOf(params)) ?? '')
  const given = isJsonObject(value) ? { texts: toTexts(value), uploads: new Map() } : NO_PARAMS
  return { result: readRights(given, isForChannels(params) ? 'channel' : 'supergroup') }
}

function isForChannels(params: Params): boolean {
  return boolOf(params, 'for_channels')
}

/** Kept among the texts of the profile, as JSON. */
function keyOf(params: Params): string {
  return `default_rights ${isForChannels(params) ? 'channels' : 'groups'}`
}

export const defaultRightsMethods = {
  setMyDefaultAdministratorRights,
  getMyDefaultAdministratorRights,
}
