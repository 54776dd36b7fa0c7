import { Agent, request } from 'undici'
import { type Part, percentile } from './bench.ts'
import { bodyOf, type Gateway, startGateway } from './gateways.ts'

const STREAMS = 200
const WARM_UP_TIMES = 5
const SHORT = '3 deltas, one every 20 ms after 100 ms'
const DELTAS = 100
const LONG = `${DELTAS} deltas, one every 40 ms after 100 ms`

/** Streamed completions: the time and CPU that a gateway adds. */
export const stream: Part = {
  about: `First chunk: ${STREAMS} streams at once, minus the same without a gateway. CPU: ${STREAMS} streams of ${DELTAS} chunks.`,
  hasPeers: true,
  async open(bench, target) {
    const gateway = await startGateway(bench, target)
    const { address } = await bench.upstream()
    const direct = { url: `${address}/v1/chat/completions`, model: 'bench', headers: [{}] }
    const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
    bench.signal.addEventListener('abort', () => void dispatcher.destroy())
    for (let time = 0; time < WARM_UP_TIMES; time += 1) {
      await askAll(direct, SHORT)
      await askAll(gateway, LONG)
    }
    if (gateway.databaseUrl !== undefined) await bench.analyze(gateway.databaseUrl)
    return async () => {
      const without = await askAll(direct, SHORT)
      const through = await askAll(gateway, SHORT)
      const added = (share: number) => percentile(through, share) - percentile(without, share)
      const used = await bench.measure(gateway.pid, () => askAll(gateway, LONG))
      const perMillion = (cpuMs: number) => (cpuMs * 1_000) / (STREAMS * DELTAS)
      const isOurs = target.name === 'Kopeck' || target.name === 'before'
      return {
        'first chunk: added ms, p50': added(0.5),
        'first chunk: added ms, p99': added(0.99),
        'Node: CPU s per 1M chunks': perMillion(used.cpuMs),
        ...(isOurs && { 'PostgreSQL: CPU s per 1M chunks': perMillion(used.databaseCpuMs) }),
      }
    }

    /** Starts all streams at once, and returns the milliseconds to the first chunk of each. */
    function askAll(asked: Omit<Gateway, 'pid'>, question: string): Promise<number[]> {
      const ask = async (_: unknown, index: number) => {
        const account = asked.headers[index % asked.headers.length]
        const startedAt = performance.now()
        const { body, statusCode } = await request(asked.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...account },
          body: bodyOf(asked, question, true),
          dispatcher,
        })
        let firstMs: number | undefined
        let text = ''
        for await (const bytes of body) {
          firstMs ??= performance.now() - startedAt
          text += bytes
        }
        if (firstMs === undefined || !text.includes(' END') || !text.endsWith('[DONE]\n\n')) {
          throw new Error(`${target.name} answered ${statusCode}: ${text.slice(-300)}`)
        }
        return firstMs
      }
      return Promise.all(Array.from({ length: STREAMS }, ask))
    }
  },
}
