import type { FastifyPluginAsync } from 'fastify'
import { toWireRub } from '../../../contract/money.ts'
import { Prices } from '../../../contract/prices.ts'
import type { Endpoint } from '../../generation/endpoint.ts'
import { describeAnswers } from '../answers.ts'

const SCHEMA = {
  tags: ['generation'],
  summary: 'List the prices of tasks by their labels',
  response: describeAnswers(Prices),
}

/** `GET /prices`, which the interface does not have: clients that know it need not be told the prices. */
export function pricesRoute({
  endpoints,
}: {
  endpoints: () => readonly Pick<Endpoint, 'pricesMicroRub'>[]
}): FastifyPluginAsync {
  return async (app) => {
    app.get('/prices', { schema: SCHEMA }, async (): Promise<Prices> => {
      const prices = endpoints().flatMap(({ pricesMicroRub }) => [...pricesMicroRub])
      const inRub = prices.map(([label, microRub]) => [label, toWireRub(microRub)])
      return { prices_rub: Object.fromEntries(inRub) }
    })
  }
}
