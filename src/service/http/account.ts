import type { FastifyPluginAsync } from 'fastify'
import { type KeyFacts, toWireRub } from '../../contract/money.ts'
import { findAccount, findCallbackSecret } from '../ledger/accounts.ts'
import { type ApiKey, findApiKey } from '../ledger/api-keys.ts'
import { countSecretRead } from '../ledger/rate-window.ts'
import { inTransaction } from '../ledger/sql.ts'
import type { HttpContext } from './context.ts'
import { Refusal } from './refusals.ts'

/** `GET /balance`, `GET /callback/secret`, and `GET /key`, which the interface document does not have. */
export function accountRoutes({ pool }: HttpContext): FastifyPluginAsync {
  return async (app) => {
    app.get('/balance', async (request, reply) => {
      const account = await findAccount(pool, request.account.id)
      if (account === undefined) throw new Refusal('invalid_key')
      reply.header('accept-idempotency-key', 'creation')
      return { balance_rub: toWireRub(account.balanceMicroRub) }
    })
    app.get('/callback/secret', async ({ account }) => {
      const secret = await inTransaction(pool, async (sql) => {
        await countSecretRead(sql, account.id)
        return await findCallbackSecret(sql, account.id)
      })
      if (secret === undefined) throw new Refusal('invalid_key')
      return { secret }
    })
    app.get('/key', async ({ account }, reply) => {
      const key = await findApiKey(pool, account.keyId)
      if (key === undefined) throw new Refusal('invalid_key')
      reply.header('cache-control', 'no-store')
      return toFacts(key)
    })
  }
}

function toFacts(key: ApiKey): KeyFacts {
  const { spendLimitMicroRub: limit, spentMicroRub: spent } = key
  return {
    key_id: key.publicId,
    name: key.name,
    expires_at: key.expiresAt?.toISOString() ?? null,
    models: key.models === null ? null : [...key.models],
    spend_limit_rub: limit === null ? null : toWireRub(limit),
    spent_rub: toWireRub(spent),
    // A settlement above its hold may carry a key beyond its limit, and limits are lowered.
    left_rub: limit === null ? null : toWireRub(limit > spent ? limit - spent : 0n),
    requests_per_minute: key.requestsPerMinute,
  }
}
