import { badRequest } from '../wire/envelope.ts'
import { jsonOf, textOf } from '../wire/params.ts'
import { readUserId } from './chats/members.ts'
import type { Method } from './method.ts'
import { requiredOf } from './sending/required.ts'

/** People have no pictures here. */
const getUserProfilePhotos: Method = ({ params }, { world }) => {
  const userId = readUserId(params)
  const isKnown = userId === world.bot.id || world.people.has(userId)
  if (!isKnown) throw badRequest('user not found')
  return { result: { total_count: 0, photos: [] } }
}

/** Inline mode is not built, so every query is one that Telegram does not know. */
const answerInlineQuery: Method = ({ params }) => {
  const complaint = "can't parse JSON encoded inline query results"
  const results = jsonOf(params, 'results', complaint) ?? []
  if (!Array.isArray(results)) throw badRequest('expected an Array of inline query results')
  throw badRequest('QUERY_ID_INVALID')
}

const answerWebAppQuery: Method = ({ params }) => {
  requiredOf(params, 'result')
  jsonOf(params, 'result', "can't parse JSON encoded web view results")
  throw badRequest(
    textOf(params, 'web_app_query_id') === '' ? 'QUERY_ID_EMPTY' : 'QUERY_ID_INVALID',
  )
}

/** The playground has no other server that the bot could move to, so nothing comes of it. */
const leaveServer: Method = () => ({ result: true })

export const absentMethods = {
  getUserProfilePhotos,
  answerInlineQuery,
  answerWebAppQuery,
  logOut: leaveServer,
  close: leaveServer,
}
