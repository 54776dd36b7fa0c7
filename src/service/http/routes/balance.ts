import type { FastifyPluginAsync } from 'fastify'
import { Balance, toWireRub } from '../../../contract/money.ts'
import { findAccount } from '../../ledger/accounts.ts'
import type { Sql } from '../../ledger/sql.ts'
import { describeAnswers } from '../answers.ts'
import { Refusal } from '../refusals.ts'

const SCHEMA = {
  operationId: 'getBalance',
  tags: ['account'],
  summary: 'See the balance',
  response: describeAnswers(Balance, {
    headers: {
      'Accept-Idempotency-Key': {
        type: 'string',
        const: 'creation',
        description: 'Says that creations honour an `Idempotency-Key`.',
      },
    },
  }),
}

/** `GET /balance`. Its header says that creation endpoints honour an `Idempotency-Key`. */
export function balanceRoute({ sql }: { sql: Sql }): FastifyPluginAsync {
  return async (app) => {
    app.get('/balance', { schema: SCHEMA }, async (request, reply) => {
      const account = await findAccount(sql, request.account.id)
      if (account === undefined) throw new Refusal(401, 'The API key is not valid.')
      reply.header('accept-idempotency-key', 'creation')
      return { balance_rub: toWireRub(account.balanceMicroRub) }
    })
  }
}
