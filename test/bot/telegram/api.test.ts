import { InputFile } from 'grammy'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createFileDownload } from '../../../src/bot/telegram/download-file.ts'
import { readFailure } from '../../../src/bot/telegram/errors.ts'
import {
  openProxies,
  type ProxyServer,
  startProxyServer,
} from '../../platform/http/proxy-server.ts'
import { openPlayground } from '../../playground/open-playground.ts'

const ANN = 5
const PROTOCOLS = ['http', 'socks5'] as const

test.each(PROTOCOLS)(
  'calls, polls, uploads and downloads go through a proxy by %s',
  async (protocol) => {
    const { api, download, proxies, playground, host } = await setUp([protocol])
    const bytes = Buffer.alloc(3_000_000, 'a file. ')

    await api.calls.sendMessage(ANN, 'Hello')
    playground.userSends({ userId: ANN, text: 'Hello, bot' })
    const updates = await api.polls.getUpdates({ timeout: 1 })
    const sent = await api.uploads.sendDocument(ANN, new InputFile(bytes, 'a.txt'))
    const { signal } = new AbortController()
    const loaded = await download(sent.document.file_id, { signal })

    expect(updates.map(({ message }) => message?.text)).toEqual(['Hello, bot'])
    expect(loaded).toEqual({ status: 'ok', bytes })
    expect(new Set(proxies[0]?.asked)).toEqual(new Set([host]))
  },
)

test('a call for which no proxy opens a connection was not sent', async () => {
  const { api, proxies, playground } = await setUp(PROTOCOLS)
  for (const proxy of proxies) await proxy.kill()

  const failure = await api.calls.sendMessage(ANN, 'Hello').catch(readFailure)

  expect(failure).toEqual({ type: 'not_sent', reason: 'EPROXY' })
  expect(playground.transcript(ANN)).toEqual([])
})

test.each(PROTOCOLS)(
  'a call whose proxy by %s dies before the answer may have been done, and is not repeated',
  async (protocol) => {
    const { api, proxies, playground } = await setUp([protocol, 'http'])
    proxies[0]?.onAnswer(() => {
      void proxies[0]?.kill()
      return false
    })

    const failure = await api.calls.sendMessage(ANN, 'Hello').catch(readFailure)

    expect(failure).toMatchObject({ type: 'unknown' })
    expect(playground.transcript(ANN).map(({ text }) => text)).toEqual(['Hello'])
    expect(proxies[1]?.asked).toEqual([])
    await api.calls.sendMessage(ANN, 'Next')
    expect(proxies[1]?.asked).toHaveLength(1)
  },
)

/** A Bot API server behind proxies: no resolver of this machine finds its name. */
async function setUp(protocols: readonly ('http' | 'socks5')[]) {
  const { playground, apiRoot: root } = await openPlayground()
  const { port } = new URL(root)
  const servers: ProxyServer[] = []
  for (const protocol of protocols) {
    servers.push(await startProxyServer({ protocol, names: { 'telegram.test': '127.0.0.1' } }))
  }
  const proxies = openProxies(servers.map(({ url }) => url).join())
  const { token } = playground
  const apiRoot = `http://telegram.test:${port}`
  const api = createTelegramApi({ token, apiRoot, proxies })
  const log = pino({ level: 'silent' })
  const { download, close } = createFileDownload({ api, token, apiRoot, proxies, log })
  onTestFinished(close)
  return { api, download, proxies: servers, playground, host: `telegram.test:${port}` }
}
