import { expect, test } from 'vitest'
import { readConfig } from '../../src/process/config.ts'
import { nameProxies, openProxies } from '../../src/process/process-proxies.ts'

const PROXIES = {
  TELEGRAM_PROXY: 'http://a.lan:1,http://b.lan:2',
  UPSTREAM_PROXY: 'socks5://c.lan',
}
const BOT_TOKEN = '1:abc'

test.each([
  [{ BOT_TOKEN }, 'http://a.lan:1'],
  [{ BOT_TOKEN, TELEGRAM_API_ROOT: 'http://bot-api.lan:8081' }, 'http://a.lan:1'],
  [{ BOT_TOKEN, TELEGRAM_API_ROOT: 'http://127.0.0.1:8081' }, undefined],
  [{}, undefined],
])('with %o the proxy to Telegram is %s', (env, telegram) => {
  const config = readConfig({ ...PROXIES, ...env })

  const proxies = nameProxies(openProxies(config))

  expect(proxies).toEqual({ ...(telegram && { telegram }), upstream: 'socks5://c.lan:1080' })
})
