import { builtInServiceConfig } from '../../src/service/config/service-config.ts'
import { type CuttableProxy, openCuttableProxy } from '../bot/cuttable-proxy.ts'
import { type Responder, startOpenAiServer } from './providers/openai-server.ts'
import { startTestService, upstreamConfig } from './service-fixture.ts'

export const BODY = { model: 'alpha', messages: [{ role: 'user', content: 'hi' }], stream: true }
/** The balance of an account in the beginning. */
export const CREDIT = 1_000_000_000n

/** What ends with the test. */
export const disposables: AsyncDisposable[] = []
/** Ends what a test has begun. */
export async function endAll(): Promise<void> {
  for (const each of disposables.splice(0).reverse()) await each[Symbol.asyncDispose]()
}

interface Ways {
  isWhollyDetoured?: boolean
}

/** Starts a service whose way to the database can be cut, held or made to lose its answers. */
export async function startDetoured(responder: Responder, { isWhollyDetoured = false }: Ways = {}) {
  const upstream = await startOpenAiServer(responder)
  let proxy: CuttableProxy | undefined
  const kopeck = await startTestService({
    config: {
      ...upstreamConfig(upstream.baseUrl),
      generation: builtInServiceConfig().generation,
    },
    detour: async (url) => {
      const way = new URL(url)
      proxy = await openCuttableProxy(Number(way.port))
      way.host = `127.0.0.1:${proxy.port}`
      return way.href
    },
    isWhollyDetoured,
  })
  if (proxy === undefined) throw new TypeError('Cannot start: there is no proxy')
  const { cut, hold, mend, swallowAnswers } = proxy
  disposables.push(upstream, { [Symbol.asyncDispose]: async () => cut() }, kopeck)
  return { kopeck, line: { cut, hold, mend, swallowAnswers }, upstream }
}

/** A gate that an upstream waits at once it is asked. */
export function createGate() {
  const opened = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  return {
    open: opened.resolve,
    opened: opened.promise,
    isAsked: asked.promise,
    ask: asked.resolve,
  }
}
