import { request } from 'undici'
import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

test.each([
  ['a name that leads here', { host: 'evil.example' }, 403],
  ['a name that begins as ours', { host: 'localhost.evil.example:3001' }, 403],
  ['a page of another site', { origin: 'https://evil.example' }, 403],
  ['a page that hides where it is from', { origin: 'null' }, 403],
  ['a form', { 'content-type': 'text/plain' }, 415],
  ['a form with a file', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
])('%s cannot play a user', async (_, headers, status) => {
  const { apiRoot, playground } = await openPlayground()

  const { statusCode } = await request(`${apiRoot}/playground/chats/5/messages`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: '{"text": "hello"}',
  })

  expect(statusCode).toBe(status)
  expect(playground.transcript(5)).toHaveLength(0)
})

test.each(['127.0.0.1:3001', 'localhost:80', 'kopeck.localhost', '[::1]:3001', '192.168.0.7:3001'])(
  'the page is open under %s',
  async (host) => {
    const { apiRoot } = await openPlayground()
    const own = { host, origin: `http://${host}` }

    const { statusCode } = await request(`${apiRoot}/playground/chats/5/messages`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...own },
      body: '{"text": "hello"}',
    })

    expect(statusCode).toBe(200)
  },
)

test('a name that leads here reads nothing, and the answer explains how to open the page', async () => {
  const { apiRoot, api } = await openPlayground()
  await api.sendMessage(5, 'secret')

  for (const path of ['/', '/playground/live?as=5', '/playground/chats/5']) {
    const answer = await request(`${apiRoot}${path}`, { headers: { host: 'evil.example' } })
    expect([answer.statusCode, await answer.body.text()]).toEqual([
      403,
      expect.stringContaining('open it by its IP address'),
    ])
  }
})

test('the Bot API is open under any name: its token guards it', async () => {
  const { apiRoot, playground } = await openPlayground()

  const { statusCode } = await request(`${apiRoot}/bot${playground.token}/getMe`, {
    headers: { host: 'bot.example', origin: 'https://bot.example' },
  })

  expect(statusCode).toBe(200)
})

test('everything of the page forbids what it does not need', async () => {
  const { apiRoot } = await openPlayground()

  for (const path of ['/', '/playground/chats/5', '/playground/none']) {
    const { headers } = await fetch(`${apiRoot}${path}`)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('another site leads to the page by a link, and reads nothing of what the page reads', async () => {
  const { apiRoot } = await openPlayground()
  const statusOf = async (path: string, site: string) => {
    const headers = { 'sec-fetch-site': site }
    const { statusCode, body } = await request(`${apiRoot}${path}`, { headers })
    await body.dump()
    return statusCode
  }

  const others = ['cross-site', 'same-site'].map((site) => statusOf('/playground/live?as=5', site))
  const history = '/playground/chats/5/history?as=5&before=9'

  expect(await Promise.all(others)).toEqual([403, 403])
  expect(await statusOf(history, 'same-origin')).toBe(200)
  expect(await statusOf(history, 'none')).toBe(200)
  expect(await statusOf('/', 'cross-site')).not.toBe(403)
})

test('on a network nobody sees or does anything without the key, which the printed address has', async () => {
  const { apiRoot, pageUrl, playground } = await openPlayground({ host: '0.0.0.0' })
  const post = { method: 'POST', headers: JSON_TYPE, body: '{"text": "hello"}' } as const
  const statusOf = async (path: string, options?: Parameters<typeof request>[1]) =>
    (await request(`${apiRoot}${path}`, options)).statusCode
  const paths = ['/', '/?key=wrong', '/playground/chats/5', '/playground/live?as=5', '/assets/none']

  const refused = await Promise.all(paths.map((path) => statusOf(path)))
  const written = await statusOf('/playground/chats/5/messages', post)

  expect([...refused, written]).toEqual([401, 401, 401, 401, 401, 401])
  expect(playground.transcript(5)).toHaveLength(0)
  const entered = await request(pageUrl)
  const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
  expect([entered.statusCode, entered.headers.location]).toEqual([303, '/'])
  expect(entered.headers['set-cookie']).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/)
  expect(await statusOf('/playground/chats/5', { headers: { cookie: `a=b; ${cookie}` } })).toBe(200)
  const key = new URL(pageUrl).searchParams.get('key')
  const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` }
  expect(await statusOf('/playground/chats/5/messages', { ...post, headers })).toBe(200)
})

test('the key is the same after a restart, and another one for another bot', async () => {
  const keyOf = async (token: string) => {
    const { pageUrl } = await openPlayground({ host: '0.0.0.0', token })
    return new URL(pageUrl).searchParams.get('key')
  }

  const keys = [await keyOf('1:a'), await keyOf('1:a'), await keyOf('1:b')]

  expect(keys[0]).toMatch(/^[\w-]{43}$/)
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
})

test('on this machine alone the page has no key', async () => {
  const { apiRoot, pageUrl } = await openPlayground()

  expect(pageUrl).toBe(apiRoot)
  expect((await request(`${apiRoot}/playground/chats/5`)).statusCode).toBe(200)
})
