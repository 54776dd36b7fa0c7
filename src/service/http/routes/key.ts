import type { FastifyPluginAsync } from 'fastify'
import { KeyFacts, toWireRub } from '../../../contract/money.ts'
import type { Endpoint } from '../../generation/endpoint.ts'
import { type ApiKey, findApiKey } from '../../ledger/api-keys.ts'
import { InvalidKeyError, type LimitStanding } from '../../ledger/errors.ts'
import { readStandings } from '../../ledger/rate-window.ts'
import type { Sql } from '../../ledger/sql.ts'
import { describeAnswers } from '../answers.ts'
import { CHAT_LIMIT, creationLimit } from '../rate-limit.ts'

const SCHEMA = {
  operationId: 'getKey',
  tags: ['account'],
  summary: 'See what the API key may do, and what it has spent',
  description: 'Tells of the key that the request carries, and of no other.',
  response: describeAnswers(KeyFacts),
}

/** `GET /key`, which the interface does not have: a key reads its own terms, and those of no other key. */
export function keyRoute({
  sql,
  endpoints,
}: {
  sql: Sql
  endpoints: () => readonly Pick<Endpoint, 'path' | 'media'>[]
}): FastifyPluginAsync {
  return async (app) => {
    app.get('/key', { schema: SCHEMA }, async ({ account }, reply): Promise<KeyFacts> => {
      const limits = [
        { route: 'chats/completions', limit: CHAT_LIMIT },
        ...endpoints().map(({ path, media }) => ({ route: path, limit: creationLimit(media) })),
      ]
      const key = await findApiKey(sql, account.keyId)
      if (key === undefined) throw new InvalidKeyError()
      const standings = await readStandings(sql, {
        accountId: account.id,
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
  const { spendLimitMicroRub: limit, countedMicroRub: counted, spendPeriod } = key
  return {
    key_id: key.publicId,
    name: key.name,
    expires_at: key.expiresAt?.toISOString() ?? null,
    models: key.models === null ? null : [...key.models],
    spend_limit_rub: limit === null ? null : toWireRub(limit),
    spend_period: spendPeriod?.unit ?? null,
    renews_at: key.renewsAt?.toISOString() ?? null,
    spent_rub: toWireRub(key.spentMicroRub),
    // Without a limit it is not recorded.
    period_spent_rub: spendPeriod === null || limit === null ? null : toWireRub(counted),
    // A settlement above its hold may carry a key beyond its limit, and limits are lowered.
    left_rub: limit === null ? null : toWireRub(limit > counted ? limit - counted : 0n),
  }
}
