import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient } from '../../../src/platform/http/http-client.ts'
import { startServer } from './local-server.ts'
import { openProxies, startProxyServer } from './proxy-server.ts'
import { findClosedAddress } from './tcp-server.ts'

const NAMES = { 'target.test': '127.0.0.1' }

test.each(['http', 'socks5'] as const)(
  'a client keeps its tunnel by %s for the next request',
  async (protocol) => {
    const { ask, proxy } = await setUp(protocol)

    expect(await ask('/1')).toBe('/1')
    // The connection is free a turn after its answer.
    await setImmediate()
    expect(await ask('/2')).toBe('/2')
    expect(proxy.asked).toHaveLength(1)
    expect(proxy.open()).toBe(1)
  },
)

test('a client goes on through another tunnel when its proxy was away', async () => {
  const { ask, proxy } = await setUp('socks5')
  await ask('/1')

  await proxy.kill()
  // Whichever is first, the end of the tunnel or the request: it was not answered by nobody.
  await expect.poll(() => ask('/2')).toMatchObject({ outcome: 'unsent', cause: { code: 'EPROXY' } })
  await proxy.revive()

  expect(await ask('/3')).toBe('/3')
})

async function setUp(protocol: 'http' | 'socks5') {
  const proxy = await startProxyServer({ protocol, names: NAMES })
  const target = await startServer((response, { path }) => void response.end(path))
  const root = `http://target.test:${new URL(target.baseUrl).port}`
  const proxies = openProxies(`http://${await findClosedAddress()},${proxy.url}`)
  const http = createHttpClient({
    connectMs: 5_000,
    silenceMs: 5_000,
    reusesConnections: true,
    keptMs: 50_000,
    proxies,
  })
  onTestFinished(http.close)
  return { proxy, target, ask }

  async function ask(path: string, signal?: AbortSignal) {
    const request = {
      method: 'GET',
      url: root + path,
      headers: {},
      headersMs: 5_000,
      signal,
    } as const
    const exchange = await http.open(request)
    return exchange.outcome === 'answered' ? await exchange.body.text() : exchange
  }
}
