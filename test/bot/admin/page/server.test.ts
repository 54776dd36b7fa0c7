import { connect } from 'node:net'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { addCharge } from '../../spend/add-charge.ts'
import { ADMIN, ANNA, setUpPage, VIEWER } from './page-setup.ts'

const DAY_MS = 86_400_000

const PUBLIC_URL = 'https://bot.example.org/kopeck'

const VIEWS = [
  'overview',
  'users',
  `users/${ANNA}`,
  'check',
  'limits',
  'access',
  'settings',
  'changes',
  'more',
]

test('the shell is served without a session; its files are cached for ever by their version', async () => {
  const { ask } = await setUpPage()

  const shell = await ask('GET', '/', { headers: { 'accept-language': 'ru' } })
  const [script = ''] = /client\.js\?v=\w+/.exec(shell.text) ?? []
  const versioned = await ask('GET', `/${script}`)
  const icon = await ask('GET', '/chevron.svg')

  expect(shell.status).toBe(200)
  expect(shell.text).toContain('<html lang="ru">')
  expect(shell.headers.get('content-type')).toMatch(/^text\/html/)
  expect(shell.headers.get('cache-control')).toBe('no-cache')
  expect(versioned.headers.get('content-type')).toMatch(/javascript/)
  expect(versioned.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(icon.headers.get('cache-control')).toBe('no-cache')
})

test('the shell, its files and the overview of a month of 20 users are at most 120 KB', async () => {
  const { ask, signIn, prisma } = await setUpPage()
  const token = await signIn(ADMIN)
  const ids = Array.from({ length: 20 }, (_, index) => 1001 + index)
  await prisma.user.createMany({
    data: ids.map((id) => ({ id, firstName: 'Maria Curie', username: `user_${id}` })),
  })
  for (const [index, userId] of ids.entries()) {
    const at = new Date(Date.now() - index * DAY_MS)
    await addCharge(prisma, { userId, amountMicroRub: 123_456_789n, item: `m-${index % 8}`, at })
  }
  const names = ['', 'styles.css', 'client.js', 'icon.svg', 'chevron.svg', 'search.svg']

  const answers = await Promise.all(names.map((name) => ask('GET', `/${name}`)))
  const overview = await ask('GET', '/view/overview', { token })

  const bytes = [...answers, overview].map(({ text }) => Buffer.byteLength(text))
  expect(overview.text).toContain('user_1001')
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(120_000)
})

test('no path leads to another file', async () => {
  const { root } = await setUpPage()
  const paths = [
    '/admin/../package.json',
    '/admin/%2e%2e/%2e%2e/etc/passwd',
    '/admin/..%2f..%2f..%2fetc%2fpasswd',
    '/admin/server.ts',
    '/admin//etc/passwd',
    '/admin/client.js%00.html',
    '/admin/.env',
  ]

  for (const path of paths) {
    expect(await statusOf(root, path), path).toMatch(/^HTTP\/1\.1 (400|403|404)/)
  }
  expect(await statusOf(root, '/admin/client.js')).toBe('HTTP/1.1 200 OK')
})

/** Asks for a path as it is; `fetch()` would tidy it up. */
async function statusOf(root: string, path: string): Promise<string> {
  const socket = connect(Number(new URL(root).port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  return answer.slice(0, answer.indexOf('\r\n'))
}

test('every answer below /admin carries what keeps a browser strict, be it a file, a view or a refusal', async () => {
  const { ask, signIn } = await setUpPage()
  const token = await signIn(ADMIN)
  const answers = [
    await ask('GET', ''),
    await ask('GET', '/'),
    await ask('GET', '/client.js'),
    await ask('GET', '/none.js'),
    await ask('GET', '/view/more', { token }),
    await ask('GET', '/view/more'),
    await ask('GET', '/view/none', { token }),
    await ask('POST', '/session', { body: { link: 'a'.repeat(20_000) } }),
    await ask('POST', '/session', { body: '{}', headers: { 'content-type': 'application/json' } }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([308, 200, 200, 404, 200, 401, 404, 413, 415])
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

test.each([
  ['another site', 'https://evil.example', {}, 403],
  ['none', 'null', {}, 403],
  ['a name that begins like ours', 'https://bot.example.org.evil.example', {}, 403],
  ['PUBLIC_URL', 'https://bot.example.org', {}, 200],
  ['the host of PUBLIC_URL by http', 'http://bot.example.org', {}, 403],
  ['https, asked by http', 'https://192.168.0.7:3000', { host: '192.168.0.7:3000' }, 403],
  ['the address that was asked', 'http://192.168.0.7:3000', { host: '192.168.0.7:3000' }, 200],
  [
    'https by a proxy',
    'https://kopeck.lan',
    { host: 'kopeck.lan', 'x-forwarded-proto': 'https' },
    200,
  ],
  [
    'http before a proxy',
    'http://kopeck.lan',
    { host: 'kopeck.lan', 'x-forwarded-proto': 'https' },
    403,
  ],
])(
  'what changes something is taken from our own page only: from %s',
  async (_, origin, headers, status) => {
    const { root, signIn } = await setUpPage({
      publicUrl: PUBLIC_URL,
      trustedProxies: ['127.0.0.1'],
    })
    const authorization = `Bearer ${await signIn(ADMIN)}`
    const { statusCode } = await request(`${root}/admin/sign-out`, {
      method: 'POST',
      headers: {
        host: 'bot.example.org',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
        origin,
        authorization,
      },
    })

    expect(statusCode).toBe(status)
  },
)

test('without a session every view and every form is closed', async () => {
  const { ask, signIn } = await setUpPage()
  const token = await signIn(ADMIN)
  await ask('POST', '/sign-out', { token, body: '' })

  for (const path of [...VIEWS.map((view) => `/view/${view}`), '/live']) {
    expect((await ask('GET', path)).status, path).toBe(401)
    expect((await ask('GET', path, { token })).status, path).toBe(401)
  }
  for (const path of [...VIEWS.map((view) => `/view/${view}`), '/downloads', '/sign-out']) {
    expect((await ask('POST', path, { body: '' })).status, path).toBe(401)
    expect((await ask('POST', path, { body: '', token })).status, path).toBe(401)
  }
})

test('a viewer sees every view and changes nothing', async () => {
  const { ask, signIn, changes } = await setUpPage()
  const token = await signIn(VIEWER)

  for (const view of VIEWS) {
    const { status, text } = await ask('GET', `/view/${view}`, { token })
    expect(status, view).toBe(200)
    const forms = [...text.matchAll(/<form method="post"[^>]*>/g)].map(([form]) => form)
    const own = forms.filter((form) => /action="(downloads|sign-out)"/.test(form))
    expect(forms.length - own.length, view).toBe(view === 'settings' ? 1 : 0)
    const answer = await ask('POST', `/view/${view}`, {
      token,
      body: { form: 'limit', subject: ANNA, period: 'day', amount: '1', decision: 'blocked' },
    })
    expect([answer.status, answer.text], view).toEqual([
      403,
      expect.stringContaining('your role is viewer'),
    ])
  }
  expect(await changes()).toEqual([])
})
