import { once } from 'node:events'
import { type ClientRequest, request as requestHttp } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createAgentThrough } from '../../../../src/platform/http/proxy/connect-through.ts'
import { startServer } from '../local-server.ts'
import { findClosedAddress } from '../tcp-server.ts'
import { openProxies, startProxyServer } from './proxy-server.ts'

const NAMES = { 'target.test': '127.0.0.1' }

test.each(['http', 'socks5'] as const)(
  'an agent keeps its tunnel by %s for the next request',
  async (protocol) => {
    const { askAt, proxy } = await setUp(protocol)

    const answers = [await askAt('/1'), await askAt('/2')]

    expect(answers).toEqual(['/1', '/2'])
    expect(proxy.asked).toHaveLength(1)
    expect(proxy.open()).toBe(1)
  },
)

test('an agent goes on through another tunnel when its proxy was away', async () => {
  const { agent, askAt, proxy } = await setUp('socks5')
  await askAt('/1')

  await proxy.kill()
  await expect.poll(() => Object.keys(agent.freeSockets)).toEqual([])
  await expect(askAt('/2')).rejects.toMatchObject({ code: 'EPROXY' })
  await proxy.revive()

  expect(await askAt('/3')).toBe('/3')
})

test('a request that is given up while its tunnel opens is not sent', async () => {
  const { ask, askAt, target } = await setUp('http')
  const givenUp = ask('/1').on('error', () => {})

  givenUp.destroy()

  expect(await askAt('/2')).toBe('/2')
  expect(target.requests.map(({ path }) => path)).toEqual(['/2'])
})

async function setUp(protocol: 'http' | 'socks5') {
  const proxy = await startProxyServer({ protocol, names: NAMES })
  const target = await startServer((response, { path }) => void response.end(path))
  const root = `http://target.test:${new URL(target.baseUrl).port}`
  const proxies = openProxies(`http://${await findClosedAddress()},${proxy.url}`)
  const agent = createAgentThrough(proxies, { root, connectMs: 5_000 })
  onTestFinished(() => agent.destroy())
  return { agent, proxy, target, ask, askAt }

  function ask(path: string): ClientRequest {
    return requestHttp(root + path, { agent }).end()
  }

  async function askAt(path: string): Promise<string> {
    const [response] = await once(ask(path), 'response')
    let body = ''
    for await (const piece of response.setEncoding('utf8')) body += piece
    return body
  }
}
