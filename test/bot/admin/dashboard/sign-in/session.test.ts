import { expect, test } from 'vitest'
import { ADMIN, ANNA, detailOf, meOf, setUpDashboard, VIEWER } from '../dashboard-setup.ts'

const HOUR_MS = 3_600_000

test('an admin signs in by what Telegram gives the page, and the session says who they are', async () => {
  const { ask, initDataOf } = await setUpDashboard()

  const answer = await ask('POST', '/api/session', { body: { initData: await initDataOf(ADMIN) } })

  expect(answer.status).toBe(201)
  const me = { userId: ADMIN, name: 'Ада', username: null, language: 'ru', role: 'admin' }
  expect(meOf(answer)).toMatchObject({ ...me, timeZone: 'Europe/Moscow' })
  const { token } = answer.body as { token: string }
  expect(await ask('GET', '/api/session', { token })).toMatchObject({ status: 200, body: me })
})

test('a user without a role is not signed in', async () => {
  const { ask, initDataOf } = await setUpDashboard()

  const answer = await ask('POST', '/api/session', { body: { initData: await initDataOf(ANNA) } })

  expect(answer).toMatchObject({ status: 401, body: { error: 'no_role' } })
})

test('a session ends when it is not used for two hours, and twelve hours after it began', async () => {
  const { ask, signIn, databaseClock } = await setUpDashboard()
  const [idle, used] = [await signIn(ADMIN), await signIn(VIEWER)]
  const statusOf = async (token: string) => (await ask('GET', '/api/session', { token })).status

  const ofUsed: number[] = []
  for (let hours = 1.5; hours < 13; hours += 1.5) {
    await databaseClock.advance(1.5 * HOUR_MS)
    ofUsed.push(await statusOf(used))
  }

  expect(ofUsed).toEqual([200, 200, 200, 200, 200, 200, 200, 401])
  expect(await statusOf(idle)).toBe(401)
})

test('a session that is signed out is no session any more', async () => {
  const { ask, signIn } = await setUpDashboard()
  const [token, other] = [await signIn(VIEWER), await signIn(VIEWER)]

  expect((await ask('DELETE', '/api/session', { token })).status).toBe(204)

  expect((await ask('GET', '/api/session', { token })).status).toBe(401)
  expect((await ask('GET', '/api/session', { token: other })).status).toBe(200)
})

test('a role that is taken away ends the session at once, and one that is changed changes it', async () => {
  const { ask, signIn, setRole } = await setUpDashboard()
  const [admin, viewer] = [await signIn(ADMIN), await signIn(VIEWER)]

  await setRole(ADMIN, 'viewer')
  await setRole(VIEWER, null)

  const ofAdmin = await ask('GET', '/api/session', { token: admin })
  expect(ofAdmin.body).toMatchObject({ role: 'viewer' })
  expect((await ask('GET', '/api/session', { token: viewer })).status).toBe(401)
  await setRole(VIEWER, 'viewer')
  expect((await ask('GET', '/api/session', { token: viewer })).status).toBe(401)
})

test('what Telegram gives the page opens one session: of those who send it at once one is let in, and whoever sends it later is not', async () => {
  const { ask, initDataOf } = await setUpDashboard()
  const initData = await initDataOf(ADMIN)
  // The same data, written in another way.
  const again = initData.replace(/hash=([0-9a-f]+)/, (_, hash) => `hash=${hash.toUpperCase()}`)
  const post = (given: string) => ask('POST', '/api/session', { body: { initData: given } })

  const answers = await Promise.all([1, 2, 3].map(() => post(initData)))

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
  const used = { status: 401, body: { error: 'init_data_used' } }
  expect(await post(again)).toMatchObject(used)
  expect(await post(initData)).toMatchObject(used)
  // A reload has the session of the first one.
  const [{ token } = { token: '' }] = answers
    .filter(({ status }) => status === 201)
    .map(({ body }) => body as { token: string })
  expect((await ask('GET', '/api/session', { token })).status).toBe(200)
  expect((await post(await initDataOf(ADMIN))).status).toBe(201)
})

test('after ten failed tries an address waits, and others do not', async () => {
  const { ask, initDataOf, clock } = await setUpDashboard({ trustedProxies: ['127.0.0.1'] })
  const bad = { body: { link: 'a'.repeat(43) } }
  const good = async () => ({ body: { initData: await initDataOf(ADMIN) } })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': `8.8.8.8, ${address}` } })
  for (let tries = 0; tries < 10; tries += 1) {
    await ask('POST', '/api/session', { ...bad, ...from('203.0.113.7') })
  }

  const refused = await ask('POST', '/api/session', { ...(await good()), ...from('203.0.113.7') })

  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(detailOf(refused)).toBe('Too many tries to sign in.')
  const statusFrom = async (address: string) =>
    (await ask('POST', '/api/session', { ...(await good()), ...from(address) })).status
  expect(await statusFrom('203.0.113.8')).toBe(201)
  clock.advance(60_000)
  expect(await statusFrom('203.0.113.7')).toBe(201)
})

test.each([
  ['no proxy is trusted', [], '203.0.113.9'],
  ['another proxy is trusted', ['10.0.0.0/8'], '203.0.113.9'],
  [
    'what comes before a trusted proxy is no proxy',
    ['127.0.0.1', '10.0.0.0/8'],
    '10.9.9.9, 9.9.9.9, 10.1.1.1',
  ],
])(
  'an address that a request names itself does not count where %s',
  async (_, trustedProxies, named) => {
    const { ask } = await setUpDashboard({ trustedProxies })
    const statuses: number[] = []
    for (let tries = 0; tries < 11; tries += 1) {
      const headers = {
        'x-forwarded-for': named
          .replace('203.0.113.9', `203.0.113.${tries}`)
          .replace('10.9.9.9', `8.8.8.${tries}`),
      }
      const body = { link: 'a'.repeat(43) }
      statuses.push((await ask('POST', '/api/session', { body, headers })).status)
    }

    expect(statuses.at(-1)).toBe(429)
  },
)
