import type { FastifyPluginAsync } from 'fastify'
import { CallbackSecret } from '../../../contract/callback.ts'
import { findCallbackSecret } from '../../ledger/accounts.ts'
import type { Sql } from '../../ledger/sql.ts'
import { describeAnswers } from '../answers.ts'
import { Refusal } from '../errors.ts'
import { limitRequests, SECRET_LIMIT } from '../rate-limit.ts'

const SCHEMA = {
  tags: ['account'],
  summary: 'Get the secret that callbacks are signed with',
  description: 'It is the same for ever: once is enough.',
  response: describeAnswers(CallbackSecret, { refusals: [429] }),
}

/** `GET /callback/secret`. */
export function callbackSecretRoute({ sql }: { sql: Sql }): FastifyPluginAsync {
  return async (app) => {
    const preHandler = limitRequests(sql, SECRET_LIMIT)
    app.get('/callback/secret', { schema: SCHEMA, preHandler }, async (request) => {
      const secret = await findCallbackSecret(sql, request.account.id)
      if (secret === undefined) throw new Refusal(401, 'The API key is not valid.')
      return { secret }
    })
  }
}
