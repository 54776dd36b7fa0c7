import { expect, test } from 'vitest'
import type {
  AccessAnswer,
  ChangesAnswer,
  LimitsAnswer,
  UserAnswer,
  WireAlerts,
} from '../../../../../src/bot/admin/dashboard/api.ts'
import { ADMIN, ANNA, detailOf, setUpDashboard, VIEWER } from '../dashboard-setup.ts'

const ALERTS: WireAlerts = {
  balanceBelowMicroRub: '1000000000',
  daysLeftBelow: 7,
  unusualTimes: null,
  serviceFailures: false,
  digestHour: 9,
}

async function setUpChanges() {
  const dashboard = await setUpDashboard()
  const { ask, signIn } = dashboard
  const token = await signIn(ADMIN)
  const get = (path: string) => ask('GET', `/api${path}`, { token })
  const put = (path: string, body: unknown) => ask('PUT', `/api${path}`, { token, body })
  const changes = async () => ((await get('/changes')).body as ChangesAnswer).changes
  const viewer = await signIn(VIEWER)
  return { ...dashboard, token, viewer, get, put, changes }
}

test('an admin sets a limit, and takes it away, and the log names who did', async () => {
  const { ask, get, put, token, changes } = await setUpChanges()
  const dayLimit = async () =>
    ((await get(`/users/${ANNA}?span=today`)).body as UserAnswer).limits.find(
      ({ period }) => period === 'day',
    )

  expect((await put('/limits/0/day', { amountMicroRub: '5000000' })).status).toBe(204)
  expect((await put(`/limits/${ANNA}/day`, { amountMicroRub: '7000000' })).status).toBe(204)
  expect(await dayLimit()).toMatchObject({ amountMicroRub: '7000000', origin: 'own' })
  expect((await get('/limits')).body).toMatchObject({
    default: [{ period: 'day', amountMicroRub: '5000000' }, {}, {}, {}],
    own: [{ subjectId: ANNA, name: 'Anna', amountMicroRub: '7000000', setBy: { id: ADMIN } }],
  } satisfies { default: unknown; own: unknown } & Partial<Record<keyof LimitsAnswer, unknown>>)
  expect((await put('/limits/-2/month', { amountMicroRub: '9000000' })).status).toBe(204)
  const { everybody } = (await get('/limits')).body as LimitsAnswer
  expect(everybody.map(({ period, amountMicroRub }) => [period, amountMicroRub])).toEqual([
    ['day', null],
    ['week', null],
    ['month', '9000000'],
    ['all', null],
  ])
  expect((await ask('DELETE', '/api/limits/-2/month', { token })).status).toBe(204)
  expect((await ask('DELETE', `/api/limits/${ANNA}/day`, { token })).status).toBe(204)
  expect(await dayLimit()).toMatchObject({ amountMicroRub: '5000000', origin: 'default' })
  expect(await changes()).toMatchObject([
    { what: 'limit_day', subject: { id: ANNA }, before: '7000000', after: null },
    { what: 'limit_month', subject: { id: -2 }, before: '9000000', after: null },
    { what: 'limit_month', subject: { id: -2 }, before: null, after: '9000000' },
    { what: 'limit_day', subject: { id: ANNA }, before: null, after: '7000000' },
    { what: 'limit_day', by: { id: ADMIN, name: 'Ада' }, subject: null, after: '5000000' },
  ])
})

test('an amount that is negative, huge or malformed is no limit, nor is one of an unknown user', async () => {
  const { put, changes } = await setUpChanges()
  const amounts = [
    '-1',
    '1000000000000001',
    '9'.repeat(40),
    '1.5',
    '1e3',
    '',
    ' 1',
    '0x10',
    5,
    true,
  ]

  for (const amountMicroRub of amounts) {
    const answer = await put(`/limits/${ANNA}/day`, { amountMicroRub })
    expect(answer.status).toBe(400)
    expect(detailOf(answer)).toBe('amountMicroRub makes no sense.')
  }
  expect((await put(`/limits/${ANNA}/year`, { amountMicroRub: '1' })).status).toBe(400)
  expect((await put('/limits/404/day', { amountMicroRub: '1' })).status).toBe(404)
  expect(await changes()).toEqual([])
  for (const amountMicroRub of ['0', '1000000000000000', null]) {
    expect((await put(`/limits/${ANNA}/day`, { amountMicroRub })).status).toBe(204)
  }
})

test('an admin blocks a user and lets them in again, and they hear of it', async () => {
  const { get, put, changes, sentTexts } = await setUpChanges()

  expect((await put(`/users/${ANNA}/access`, { decision: 'blocked' })).status).toBe(204)
  const { users } = (await get('/access?search=anna')).body as AccessAnswer
  expect((await put(`/users/${ANNA}/access`, { decision: 'allowed' })).status).toBe(204)

  expect(users).toMatchObject([{ id: ANNA, access: { status: 'blocked', decision: 'blocked' } }])
  expect(sentTexts).toHaveLength(1)
  expect(await changes()).toMatchObject([
    { what: 'access', subject: { id: ANNA }, before: 'blocked', after: 'allowed' },
    { what: 'access', subject: { id: ANNA }, before: null, after: 'blocked' },
  ])
  expect(await put('/users/404/access', { decision: 'blocked' })).toMatchObject({ status: 404 })
  expect(await put(`/users/${ADMIN}/access`, { decision: 'blocked' })).toMatchObject({
    status: 409,
  })
})

test('an admin gives roles, and takes them away; the last admin stays', async () => {
  const { get, put, changes } = await setUpChanges()

  expect((await put(`/users/${ANNA}/role`, { role: 'viewer' })).status).toBe(204)
  expect((await put(`/users/${VIEWER}/role`, { role: null })).status).toBe(204)

  const { users } = (await get('/access')).body as AccessAnswer
  expect(users.map(({ id, access }) => [id, access.role])).toEqual([
    [ADMIN, 'admin'],
    [ANNA, 'viewer'],
    [VIEWER, null],
  ])
  expect(await changes()).toMatchObject([
    { what: 'role', subject: { id: VIEWER }, before: 'viewer', after: null },
    { what: 'role', subject: { id: ANNA }, before: null, after: 'viewer' },
  ])
  const last = await put(`/users/${ADMIN}/role`, { role: null })
  expect([last.status, detailOf(last)]).toEqual([409, 'This is the last admin.'])
  expect((await put(`/users/${ANNA}/role`, { role: 'owner' })).status).toBe(400)
  expect((await put('/users/404/role', { role: 'viewer' })).status).toBe(404)
})

test('an admin sets the alerts, all together', async () => {
  const { get, put, changes } = await setUpChanges()

  expect((await put('/alerts', ALERTS)).status).toBe(204)

  expect((await get('/alerts')).body).toEqual(ALERTS)
  expect((await changes()).map(({ what }) => what)).toContain('setting:digest_hour')
  const wrong = [{ digestHour: 24 }, { daysLeftBelow: 0 }, { unusualTimes: 1.5 }, { other: 1 }]
  for (const change of wrong) {
    expect((await put('/alerts', { ...ALERTS, ...change })).status).toBe(400)
  }
  const { digestHour: _, ...partly } = ALERTS
  expect((await put('/alerts', partly)).status).toBe(400)
  expect((await get('/alerts')).body).toEqual(ALERTS)
})

test('a viewer sees everything and changes nothing', async () => {
  const { ask, viewer: token, get } = await setUpChanges()
  const reads = ['/overview?span=all', '/users?span=all', `/users/${ANNA}?span=all`, '/limits']
  const writes: [string, string, unknown?][] = [
    ['PUT', `/limits/${ANNA}/day`, { amountMicroRub: '1' }],
    ['DELETE', `/limits/${ANNA}/day`],
    ['PUT', `/users/${ANNA}/access`, { decision: 'blocked' }],
    ['PUT', `/users/${VIEWER}/role`, { role: 'admin' }],
    ['PUT', '/alerts', ALERTS],
  ]

  for (const path of [...reads, '/access', '/alerts', '/changes']) {
    expect((await ask('GET', `/api${path}`, { token })).status, path).toBe(200)
  }
  for (const [method, path, body] of writes) {
    const answer = await ask(method, `/api${path}`, { token, body })
    expect([answer.status, detailOf(answer)], path).toEqual([403, 'Viewers change nothing.'])
  }
  expect((await get('/changes')).body).toEqual({ changes: [], next: null })
})

test('without a session every route of data is closed', async () => {
  const { ask, token } = await setUpChanges()
  await ask('DELETE', '/api/session', { token })
  const routes: [string, string][] = [
    ['GET', '/session'],
    ['GET', '/overview?span=all'],
    ['GET', '/users?span=all'],
    ['GET', `/users/${ANNA}?span=all`],
    ['GET', '/limits'],
    ['GET', '/access'],
    ['GET', '/alerts'],
    ['GET', '/changes'],
    ['GET', '/balance'],
    ['GET', '/check'],
    ['GET', '/live'],
    ['POST', '/downloads'],
    ['PUT', `/limits/${ANNA}/day`],
    ['DELETE', `/limits/${ANNA}/day`],
    ['PUT', `/users/${ANNA}/access`],
    ['PUT', `/users/${ANNA}/role`],
    ['PUT', '/alerts'],
    ['DELETE', '/session'],
  ]

  for (const [method, path] of routes) {
    const body = method === 'PUT' || method === 'POST' ? { body: {} } : {}
    expect((await ask(method, `/api${path}`, body)).status, path).toBe(401)
    expect((await ask(method, `/api${path}`, { token, ...body })).status, path).toBe(401)
  }
})
