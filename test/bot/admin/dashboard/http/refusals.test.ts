import { request } from 'undici'
import { expect, test } from 'vitest'
import { ADMIN, type Answer, detailOf, setUpDashboard } from '../dashboard-setup.ts'

const PUBLIC_URL = 'https://bot.example.org/kopeck'

test('every answer below /admin carries what keeps a browser strict, be it a file, data or a refusal', async () => {
  const { ask, signIn } = await setUpDashboard()
  const token = await signIn(ADMIN)
  const answers = [
    await ask('GET', ''),
    await ask('GET', '/'),
    await ask('GET', '/assets/index-0a1b2c.js'),
    await ask('GET', '/assets/none.js'),
    await ask('GET', '/api/session', { token }),
    await ask('GET', '/api/session'),
    await ask('GET', '/api/none', { token }),
    await ask('POST', '/api/session', { body: '{' }),
    await ask('POST', '/api/none', { body: {} }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([308, 200, 200, 404, 200, 401, 404, 400, 404])
  for (const { headers } of answers) {
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self' " +
        'https://web.telegram.org https://weba.telegram.org https://webk.telegram.org ' +
        'https://webz.telegram.org',
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('permissions-policy')).toContain('camera=()')
    expect(headers.get('strict-transport-security')).toBeNull()
  }
})

test('what changes something is taken from our own page only', async () => {
  const { ask, signIn } = await setUpDashboard({ publicUrl: PUBLIC_URL })
  const token = await signIn(ADMIN)
  const signOutFrom = (origin: string) =>
    ask('DELETE', '/api/session', { token, headers: { origin } })

  for (const origin of [
    'https://evil.example',
    'null',
    '',
    'https://bot.example.org.evil.example',
    'http://bot.example.org',
  ]) {
    const answer = await signOutFrom(origin)
    expect(answer.status).toBe(403)
    expect(detailOf(answer)).toBe('The request does not come from this page.')
  }
  expect((await signOutFrom('https://bot.example.org')).status).toBe(204)
})

test.each([
  ['the host of PUBLIC_URL by http', 'http://bot.example.org', {}, 403],
  [
    'https where the request came by http',
    'https://192.168.0.7:3000',
    { host: '192.168.0.7:3000' },
    403,
  ],
  ['the address that was asked', 'http://192.168.0.7:3000', { host: '192.168.0.7:3000' }, 204],
  [
    'https by a proxy that ended it',
    'https://kopeck.lan',
    { host: 'kopeck.lan', 'x-forwarded-proto': 'https' },
    204,
  ],
  [
    'http where the proxy ended https',
    'http://kopeck.lan',
    { host: 'kopeck.lan', 'x-forwarded-proto': 'https' },
    403,
  ],
])('the scheme of an origin counts: %s', async (_, origin, headers, status) => {
  const { root, signIn } = await setUpDashboard({
    publicUrl: PUBLIC_URL,
    trustedProxies: ['127.0.0.1'],
  })
  const authorization = `Bearer ${await signIn(ADMIN)}`
  const { statusCode } = await request(`${root}/admin/api/session`, {
    method: 'DELETE',
    headers: { host: 'bot.example.org', ...headers, origin, authorization },
  })

  expect(statusCode).toBe(status)
})

test('a body that is no JSON, too large or not what is asked for is refused in the same shape', async () => {
  const { ask } = await setUpDashboard()
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    ask('POST', '/api/session', { body, headers })
  const refusals: [Answer, number, string][] = [
    [await post({}), 400, 'The body makes no sense.'],
    [await post({ link: 5 }), 400, 'The body makes no sense.'],
    [await post('{'), 400, 'The request cannot be read.'],
    [await post('{"__proto__": {"link": "a"}}'), 400, 'The request cannot be read.'],
    [await post({ link: 'a'.repeat(20_000) }), 413, 'The body is too large.'],
    [
      await post('link=a', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'Content-Type must be application/json.',
    ],
  ]

  for (const [answer, status, detail] of refusals) {
    expect(answer.status).toBe(status)
    expect(detailOf(answer)).toContain(detail)
  }
})
