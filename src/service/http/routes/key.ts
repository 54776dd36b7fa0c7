import type { FastifyPluginAsync } from 'fastify'
import { KeyFacts } from '../../../contract/key.ts'
import { toWireRub } from '../../../contract/money.ts'
import type { Endpoint } from '../../generation/endpoint.ts'
import { InvalidKeyError } from '../../ledger/errors.ts'
import { type ApiKey, findApiKey } from '../../ledger/keys/api-keys.ts'
import { readStandings } from '../../ledger/rate-limit.ts'
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
  endpoints: () => readonly Pick<Endpoint, 'path'>[]
}): FastifyPluginAsync {
  return async (app) => {
    app.get('/key', { schema: SCHEMA }, async ({ account }, reply): Promise<KeyFacts> => {
      const limits = [CHAT_LIMIT, ...endpoints().map(({ path }) => creationLimit(path))]
      const key = await findApiKey(sql, account.keyId)
      if (key === undefined) throw new InvalidKeyError()
      const standings = await readStandings(sql, { accountId: account.id, limits })
      const rates = Array.from(standings, ([route, { requestsMax, requestsLeft }]) => [
        route,
        { requests_per_minute: requestsMax, requests_left: requestsLeft },
      ])
      reply.header('cache-control', 'no-store')
      return { ...toFacts(key), rates: Object.fromEntries(rates) }
    })
  }
}

function toFacts(key: ApiKey): Omit<KeyFacts, 'rates'> {
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
