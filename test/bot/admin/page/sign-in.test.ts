import { expect, test } from 'vitest'
import { checkInitData } from '../../../../src/bot/admin/page/sign-in.ts'
import { makeInitData } from '../../../../src/playground/control/mini-apps.ts'
import { ADMIN, ANNA, BOT_TOKEN, setUpPage, VIEWER } from './page-setup.ts'

const NOW = new Date('2026-11-22T12:00:00Z')
const HOUR_S = 3600
const HOUR_MS = HOUR_S * 1000
const USER = { id: 42, is_bot: false, first_name: 'Анна "A" & Co', language_code: 'ru' }

function signed({ ageS = 0, token = BOT_TOKEN } = {}): string {
  return makeInitData(USER, { token, at: new Date(NOW.getTime() - ageS * 1000) })
}

function check(initData: string) {
  return checkInitData(initData, { botToken: BOT_TOKEN, now: NOW })
}

function changed(change: (fields: URLSearchParams) => void): string {
  const fields = new URLSearchParams(signed())
  change(fields)
  return fields.toString()
}

test('checkInitData() refuses data that is forged, changed or cut', () => {
  const ofOther = JSON.stringify({ ...USER, id: 43 })

  expect(check(signed())).toMatchObject({ userId: 42 })
  expect(check(signed({ token: '123457:token-of-another-bot' }))).toBeUndefined()
  expect(check(changed((fields) => fields.set('user', ofOther)))).toBeUndefined()
  expect(check(changed((fields) => fields.append('user', ofOther)))).toBeUndefined()
  expect(check(changed((fields) => fields.set('auth_date', '1800000000')))).toBeUndefined()
  expect(check(changed((fields) => fields.set('start_param', 'x')))).toBeUndefined()
  expect(check(changed((fields) => fields.delete('signature')))).toBeUndefined()
  expect(check(changed((fields) => fields.delete('hash')))).toBeUndefined()
  expect(check(changed((fields) => fields.set('hash', '')))).toBeUndefined()
  expect(check(changed((fields) => fields.set('hash', 'ы'.repeat(64))))).toBeUndefined()
  const whole = signed()
  for (let chars = 0; chars < whole.length; chars += 1) {
    expect(check(whole.slice(0, chars))).toBeUndefined()
  }
})

test('checkInitData() refuses data that is older than ten minutes, and data of the future', () => {
  expect(check(signed({ ageS: 600 }))).toMatchObject({ userId: 42 })
  expect(check(signed({ ageS: 601 }))).toBeUndefined()
  expect(check(signed({ ageS: 24 * HOUR_S }))).toBeUndefined()
  expect(check(signed({ ageS: -60 }))).toMatchObject({ userId: 42 })
  expect(check(signed({ ageS: -61 }))).toBeUndefined()
})

test('a link signs in once, for five minutes; after that the page says how to get a new one', async () => {
  const { ask, makeTicket, databaseClock } = await setUpPage()
  const [link, late, download] = [
    await makeTicket('sign_in', VIEWER),
    await makeTicket('sign_in', ADMIN),
    await makeTicket('download', ADMIN),
  ]
  const open = (token: string) => ask('POST', '/session', { body: { link: token } })

  expect((await open(link)).status).toBe(201)
  const again = await open(link)
  await databaseClock.advance(5 * 60_000)
  const answers = [await open(late), await open(download), await open('a'.repeat(43))]

  expect(again.status).toBe(401)
  expect(again.text).toContain('This link has been used or has expired.')
  expect(again.text).toContain('Send /dashboard to the bot')
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
})

test('what is stored of a link or a session opens nothing', async () => {
  const { ask, makeTicket, prisma, signIn } = await setUpPage()
  const link = await makeTicket('sign_in', ADMIN)
  const token = await signIn(ADMIN)

  const [ticket] = await prisma.dashboardTicket.findMany()
  const [session] = await prisma.dashboardSession.findMany()

  const stored = [ticket?.tokenHash, session?.tokenHash].map((hash) =>
    Buffer.from(hash ?? []).toString('base64url'),
  )
  expect(stored).not.toContain(link)
  expect(stored).not.toContain(token)
  for (const wrong of stored) {
    expect((await ask('POST', '/session', { body: { link: wrong } })).status).toBe(401)
    expect((await ask('GET', '/view/more', { token: wrong })).status).toBe(401)
  }
})

test('a user without a role is not signed in, and reads why', async () => {
  const { ask, initDataOf } = await setUpPage()

  const answer = await ask('POST', '/session', { body: { initData: await initDataOf(ANNA) } })

  expect(answer.status).toBe(401)
  expect(answer.text).toContain('This page is for admins and viewers.')
})

test('a session ends when it is not used for two hours, and twelve hours after it began', async () => {
  const { ask, signIn, databaseClock } = await setUpPage()
  const [idle, used] = [await signIn(ADMIN), await signIn(VIEWER)]
  const statusOf = async (token: string) => (await ask('GET', '/view/more', { token })).status

  const ofUsed: number[] = []
  for (let hours = 1.5; hours < 13; hours += 1.5) {
    await databaseClock.advance(1.5 * HOUR_MS)
    ofUsed.push(await statusOf(used))
  }

  expect(ofUsed).toEqual([200, 200, 200, 200, 200, 200, 200, 401])
  const over = await ask('GET', '/view/more', { token: idle })
  expect(over.status).toBe(401)
  expect(over.text).toContain('Your session has ended.')
  expect(over.text).toContain('Send /dashboard to the bot')
})

test('a session that was signed out is over, also of a viewer', async () => {
  const { ask, signIn } = await setUpPage()
  const [token, other] = [await signIn(VIEWER), await signIn(VIEWER)]

  expect((await ask('POST', '/sign-out', { token, body: '' })).text).toContain('You signed out')

  expect((await ask('GET', '/view/more', { token })).status).toBe(401)
  expect((await ask('GET', '/view/more', { token: other })).status).toBe(200)
})

test('a role that is taken away ends the session at once, and a changed role counts at once', async () => {
  const { ask, signIn, setRole } = await setUpPage()
  const [admin, viewer] = [await signIn(ADMIN), await signIn(VIEWER)]

  await setRole(ADMIN, 'viewer')
  await setRole(VIEWER, null)

  expect((await ask('GET', '/view/more', { token: admin })).text).toContain('your role is viewer')
  expect((await ask('GET', '/view/more', { token: viewer })).status).toBe(401)
  await setRole(VIEWER, 'viewer')
  expect((await ask('GET', '/view/more', { token: viewer })).status).toBe(401)
})

test('initData opens one session, however it is written and however many send it at once', async () => {
  const { ask, initDataOf } = await setUpPage()
  const initData = await initDataOf(ADMIN)
  const again = initData.replace(/hash=([0-9a-f]+)/, (_, hash) => `hash=${hash.toUpperCase()}`)
  const post = (given: string) => ask('POST', '/session', { body: { initData: given } })

  const answers = await Promise.all([1, 2, 3].map(() => post(initData)))

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
  expect((await post(again)).text).toContain('has been used')
  expect((await post(await initDataOf(ADMIN))).status).toBe(201)
})

test('after ten failed tries in a minute an address waits, and others do not', async () => {
  const { ask, initDataOf, clock } = await setUpPage({ trustedProxies: ['127.0.0.1'] })
  const from = (address: string) => ({ 'x-forwarded-for': `8.8.8.8, ${address}` })
  const good = async (address: string) => {
    const body = { initData: await initDataOf(ADMIN) }
    return ask('POST', '/session', { body, headers: from(address) })
  }
  for (let tries = 0; tries < 10; tries += 1) {
    const body = { link: 'a'.repeat(43) }
    await ask('POST', '/session', { body, headers: from('203.0.113.7') })
  }

  const refused = await good('203.0.113.7')

  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(refused.text).toContain('Too many tries. Try again in 60 seconds.')
  expect((await good('203.0.113.8')).status).toBe(201)
  clock.advance(60_000)
  expect((await good('203.0.113.7')).status).toBe(201)
})

test.each([
  ['no proxy is trusted', [], '203.0.113.N'],
  ['another proxy is trusted', ['10.0.0.0/8'], '203.0.113.N'],
  ['it comes before a trusted proxy', ['127.0.0.1', '10.0.0.0/8'], '8.8.8.N, 9.9.9.9, 10.1.1.1'],
])('an address that a request names itself does not count if %s', async (_, trusted, named) => {
  const { ask } = await setUpPage({ trustedProxies: trusted })
  const statuses: number[] = []
  for (let tries = 0; tries < 11; tries += 1) {
    const headers = { 'x-forwarded-for': named.replace('N', String(tries)) }
    const body = { link: 'a'.repeat(43) }
    statuses.push((await ask('POST', '/session', { body, headers })).status)
  }

  expect(statuses.at(-1)).toBe(429)
})
