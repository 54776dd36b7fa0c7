import type { FastifyPluginAsync } from 'fastify'
import { Prices, toWireRub } from '../../../contract/money.ts'
import type { Endpoint } from '../../generation/endpoint.ts'
import { mayUse } from '../../ledger/api-keys.ts'
import { describeAnswers } from '../answers.ts'

const SCHEMA = {
  operationId: 'listPrices',
  tags: ['generation'],
  summary: 'List the prices of the tasks that the API key may order, by their labels',
  response: describeAnswers(Prices),
}

/** `GET /prices`, which the interface does not have: for clients that know it, no prices have to be configured. */
export function pricesRoute({
  endpoints,
}: {
  endpoints: () => readonly Pick<Endpoint, 'model' | 'pricesMicroRub'>[]
}): FastifyPluginAsync {
  return async (app) => {
    app.get('/prices', { schema: SCHEMA }, async ({ account }): Promise<Prices> => {
      const allowed = endpoints().filter(({ model }) => mayUse(account, model))
      const prices = allowed.flatMap(({ pricesMicroRub }) => [...pricesMicroRub])
      const inRub = prices.map(([label, microRub]) => [label, toWireRub(microRub)])
      return { prices_rub: Object.fromEntries(inRub) }
    })
  }
}
