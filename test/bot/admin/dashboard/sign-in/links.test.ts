import { expect, test } from 'vitest'
import { ADMIN, meOf, setUpDashboard, VIEWER } from '../dashboard-setup.ts'

test('a link signs in who asked for it, once, and says so when it is used again', async () => {
  const { ask, tickets } = await setUpDashboard()
  const link = await tickets.make('sign_in', { userId: VIEWER })

  const first = await ask('POST', '/api/session', { body: { link } })
  const second = await ask('POST', '/api/session', { body: { link } })

  expect(first.status).toBe(201)
  expect(meOf(first)).toMatchObject({ userId: VIEWER, role: 'viewer' })
  expect(second).toMatchObject({ status: 401, body: { error: 'link_used' } })
})

test('a link is good for five minutes, and only to sign in', async () => {
  const { ask, tickets, databaseClock } = await setUpDashboard()
  const [link, download] = [
    await tickets.make('sign_in', { userId: ADMIN }),
    await tickets.make('download', { userId: ADMIN, request: {} }),
  ]

  await databaseClock.advance(5 * 60_000)

  const late = await ask('POST', '/api/session', { body: { link } })
  expect(late).toMatchObject({ status: 401, body: { error: 'link_expired' } })
  for (const other of [download, link.slice(1), 'a'.repeat(43)]) {
    const answer = await ask('POST', '/api/session', { body: { link: other } })
    expect(answer).toMatchObject({ status: 401, body: { error: 'link_unknown' } })
  }
})

test('what is kept of a link or a session opens nothing', async () => {
  const { ask, tickets, prisma, signIn } = await setUpDashboard()
  const link = await tickets.make('sign_in', { userId: ADMIN })
  const token = await signIn(ADMIN)

  const [ticket] = await prisma.dashboardTicket.findMany()
  const [session] = await prisma.dashboardSession.findMany()

  const kept = [ticket?.tokenHash, session?.tokenHash].map((hash) =>
    Buffer.from(hash ?? []).toString('base64url'),
  )
  expect(kept).not.toContain(link)
  expect(kept).not.toContain(token)
  for (const wrong of kept) {
    expect((await ask('POST', '/api/session', { body: { link: wrong } })).status).toBe(401)
    expect((await ask('GET', '/api/session', { token: wrong })).status).toBe(401)
  }
})
