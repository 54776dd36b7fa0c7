import autocannon from 'autocannon'
import type { Part } from './bench.ts'
import { bodyOf, startGateway } from './gateways.ts'

const CONNECTIONS = 64
const REQUESTS = 4_000
const WARM_UP_REQUESTS = 10_000
const QUESTION = '20 deltas, one every 0 ms after 0 ms'

/** Plain completions: the cost of authentication, limits and the ledger. */
export const plain: Part = {
  about: `${REQUESTS} plain completions of 20 tokens over ${CONNECTIONS} connections a slice.`,
  hasPeers: true,
  async open(bench, target) {
    const gateway = await startGateway(bench, target)
    await send(WARM_UP_REQUESTS)
    if (gateway.databaseUrl !== undefined) await bench.analyze(gateway.databaseUrl)
    return async () => {
      const { result, ...used } = await bench.measure(gateway.pid, () => send(REQUESTS))
      const isOurs = target.name === 'Kopeck' || target.name === 'before'
      return {
        'requests/s': REQUESTS / result,
        'Node: CPU ms per 1,000': (used.cpuMs / REQUESTS) * 1_000,
        ...(isOurs && {
          'PostgreSQL: CPU ms per 1,000': (used.databaseCpuMs / REQUESTS) * 1_000,
          'WAL: bytes a request': used.walBytes / REQUESTS,
        }),
      }
    }

    /** Sends requests, and returns how many seconds they took. */
    async function send(amount: number): Promise<number> {
      let connections = 0
      let lastAt = 0
      const startedAt = performance.now()
      const result = await autocannon({
        url: gateway.url,
        connections: CONNECTIONS,
        amount,
        method: 'POST',
        body: bodyOf(gateway, QUESTION, false),
        // It notices the end at its next sample.
        sampleInt: 50,
        verifyBody: (body) => String(body).includes(' END'),
        setupClient(client) {
          const account = gateway.headers[connections % gateway.headers.length]
          connections += 1
          client.setHeaders({ 'content-type': 'application/json', ...account })
          client.on('response', () => {
            lastAt = performance.now()
          })
        },
      })
      if (result['2xx'] !== amount || result.mismatches > 0) {
        const wrong = `${result.mismatches} wrong answers`
        throw new Error(`${target.name}: ${result['2xx']} of ${amount} succeeded, ${wrong}`)
      }
      return (lastAt - startedAt) / 1_000
    }
  },
}
