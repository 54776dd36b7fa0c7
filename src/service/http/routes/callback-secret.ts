import type { FastifyPluginAsync } from 'fastify'
import { CallbackSecret } from '../../../contract/tasks.ts'
import { findCallbackSecret } from '../../ledger/accounts.ts'
import { countRequest } from '../../ledger/rate-window.ts'
import { inTransaction, type Pool } from '../../ledger/sql.ts'
import { describeAnswers } from '../answers.ts'
import { SECRET_LIMIT } from '../rate-limit.ts'
import { Refusal } from '../refusals.ts'

const SCHEMA = {
  operationId: 'getCallbackSecret',
  tags: ['account'],
  summary: 'Get the secret that callbacks are signed with',
  description:
    'It stays the same until the operator of the service rotates it: ask again when signatures no longer fit.',
  response: describeAnswers(CallbackSecret, { refusals: [429] }),
}

/** `GET /callback/secret`. */
export function callbackSecretRoute({ pool }: { pool: Pool }): FastifyPluginAsync {
  return async (app) => {
    app.get('/callback/secret', { schema: SCHEMA }, async ({ account }) => {
      const secret = await inTransaction(pool, async (sql) => {
        await countRequest(sql, { accountId: account.id, limit: SECRET_LIMIT })
        return await findCallbackSecret(sql, account.id)
      })
      if (secret === undefined) throw new Refusal(401, 'The API key is not valid.')
      return { secret }
    })
  }
}
