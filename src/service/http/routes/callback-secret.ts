import type { FastifyPluginAsync } from 'fastify'
import { CallbackSecret } from '../../../contract/callback.ts'
import { findCallbackSecret } from '../../ledger/accounts.ts'
import type { Sql } from '../../ledger/sql.ts'
import { Refusal } from '../errors.ts'
import { limitRequests, SECRET_LIMIT } from '../rate-limit.ts'

/** `GET /callback/secret`. */
export function callbackSecretRoute({ sql }: { sql: Sql }): FastifyPluginAsync {
  return async (app) => {
    const schema = { response: { 200: CallbackSecret } }
    const preHandler = limitRequests(sql, SECRET_LIMIT)
    app.get('/callback/secret', { schema, preHandler }, async (request) => {
      const secret = await findCallbackSecret(sql, request.account.id)
      if (secret === undefined) throw new Refusal(401, 'The API key is not valid.')
      return { secret }
    })
  }
}
