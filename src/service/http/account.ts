import type { FastifyPluginAsync } from 'fastify'
import { type KeyFacts, toWireRub } from '../../contract/money.ts'
import { findAccount, findCallbackSecret } from '../ledger/accounts.ts'
import { type ApiKey, findApiKey } from '../ledger/api-keys.ts'
import type { LimitStanding } from '../ledger/errors.ts'
import { countSecretRead, LIMITS, readStandings } from '../ledger/rate-window.ts'
import { inTransaction } from '../ledger/sql.ts'
import type { HttpContext } from './context.ts'
import { Refusal } from './refusals.ts'

/** `GET /balance`, `GET /callback/secret`, and `GET /key`, which the interface document does not have. */
export function accountRoutes({ pool, offers }: HttpContext): FastifyPluginAsync {
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
    app.get('/key', async ({ account }, reply): Promise<KeyFacts> => {
      const limits = [
        { route: 'chats/completions', limit: LIMITS.chat },
        ...offers.endpoints().map(({ path, media }) => ({ route: path, limit: LIMITS[media] })),
      ]
      const key = await findApiKey(pool, account.keyId)
      if (key === undefined) throw new Refusal('invalid_key')
      const standings = await readStandings(pool, {
        keyId: key.publicId,
        limits: limits.map(({ limit }) => limit),
      })
      reply.header('cache-control', 'no-store')
      return {
        ...toFacts(key),
        rate: standings.key === undefined ? null : toRate(standings.key),
        rates: Object.fromEntries(
          limits.map(({ route }, index) => [route, toRate(standings.account[index])]),
        ),
      }
    })
  }
}

function toRate({ requestsMax = 1, requestsLeft = 0 }: Partial<LimitStanding> = {}) {
  return { requests_per_minute: requestsMax, requests_left: requestsLeft }
}

function toFacts(key: ApiKey): Omit<KeyFacts, 'rate' | 'rates'> {
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
  }
}
