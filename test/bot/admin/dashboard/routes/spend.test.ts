import { expect, test } from 'vitest'
import type { OverviewAnswer, UserAnswer } from '../../../../../src/bot/admin/dashboard/api.ts'
import { addCharge } from '../../../spend/add-charge.ts'
import { ADMIN, ANNA, detailOf, setUpDashboard, VIEWER } from '../dashboard-setup.ts'

const DAY_MS = 86_400_000

/** A viewer who is signed in, and what Anna and Ada spent today and ten days ago. */
async function setUpSpend() {
  const dashboard = await setUpDashboard()
  const { prisma, signIn, ask } = dashboard
  const before = new Date(Date.now() - 10 * DAY_MS)
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_500_001n, estimated: true })
  await addCharge(prisma, {
    userId: ANNA,
    amountMicroRub: 40_000_000n,
    kind: 'video',
    item: 'video',
  })
  await addCharge(prisma, { userId: ADMIN, amountMicroRub: 9_007_199_254_740_993n, at: before })
  const token = await signIn(VIEWER)
  const get = (path: string) => ask('GET', `/api${path}`, { token })
  return { ...dashboard, token, get }
}

test('GET /overview adds up to the micro-rouble from every side, also past what a double can hold', async () => {
  const { get } = await setUpSpend()

  const { status, body } = await get('/overview?span=30d')

  const { sum, byDay, byKind, byModel, topUsers, rest } = body as OverviewAnswer
  expect(status).toBe(200)
  expect(sum).toMatchObject({ charges: 3, amountMicroRub: '9007199296240994' })
  expect(sum.estimatedMicroRub).toBe('1500001')
  const total = (amounts: readonly string[]) => amounts.reduce((all, one) => all + BigInt(one), 0n)
  const amountsOf = (list: readonly { spend: { amountMicroRub: string } }[]) =>
    list.map(({ spend }) => spend.amountMicroRub)
  for (const amounts of [
    byDay.map(({ amountMicroRub }) => amountMicroRub),
    byDay.flatMap(({ byKind: kinds }) => Object.values(kinds)),
    amountsOf(byKind),
    amountsOf(byModel),
    amountsOf(topUsers),
  ]) {
    expect(total(amounts)).toBe(9_007_199_296_240_994n)
  }
  expect(byDay).toHaveLength(30)
  expect(rest).toBeNull()
})

test('GET /users/:id reports all about a user', async () => {
  const { get } = await setUpSpend()

  const { status, body } = await get(`/users/${ANNA}?span=today`)

  expect(status).toBe(200)
  expect(body).toMatchObject({
    user: { id: ANNA, name: 'Anna', username: 'anna' },
    access: { role: null, isRoleFixed: false, status: 'insider', decision: null },
    sum: { amountMicroRub: '41500001' },
    lastOrders: [],
  })
  const { limits } = body as UserAnswer
  expect(limits.map(({ period, spentMicroRub }) => [period, spentMicroRub])).toEqual([
    ['day', '41500001'],
    ['week', '41500001'],
    ['month', '41500001'],
    ['all', '41500001'],
  ])
})

test('what makes no sense in a query is refused, and a user that the bot does not know is not found', async () => {
  const { get } = await setUpSpend()
  const queries = [
    '/overview',
    '/overview?span=year',
    '/overview?span=all&user=1e3',
    '/overview?span=all&user=1&user=2',
    '/overview?span=all&kind=fraud',
    '/overview?span=all&other=1',
    `/overview?span=all&user=${'9'.repeat(30)}`,
    '/users?span=all&page=-1',
    `/users?span=all&search=${'a'.repeat(101)}`,
    '/users/anna?span=all',
    '/users/%00?span=all',
    '/changes?before=x',
  ]

  for (const query of queries) expect(await get(query), query).toMatchObject({ status: 400 })
  const unknown = await get('/users/404?span=all')
  expect(unknown.status).toBe(404)
  expect(detailOf(unknown)).toBe('The bot knows no such user.')
})
