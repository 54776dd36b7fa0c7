import { expect, test } from 'vitest'
import { addCharge } from '../../spend/add-charge.ts'
import { ADMIN, ANNA, readText, setUpPage, VIEWER } from './page-setup.ts'

const DAY_MS = 86_400_000

/** A viewer who is signed in, and what Anna and Ada spent today and ten days ago. */
async function setUpViews() {
  const page = await setUpPage()
  const { prisma, signIn, ask } = page
  const before = new Date(Date.now() - 10 * DAY_MS)
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_500_001n, estimated: true })
  const video = { kind: 'video', item: 'vidgen-720p-5s' } as const
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 40_000_000n, ...video })
  await addCharge(prisma, { userId: ADMIN, amountMicroRub: 9_007_199_254_740_993n, at: before })
  const token = await signIn(VIEWER)
  return { ...page, show }

  async function show(path: string) {
    const { status, text } = await ask('GET', `/view/${path}`, { token })
    return { status, text, shown: readText(text) }
  }
}

test('the overview adds up from every side, also past what a double can hold', async () => {
  const { show } = await setUpViews()

  const { shown } = await show('overview?span=30d')

  expect(shown).toContain('Spent in 30 days\n₽9,007,199,296.24\n3 charges')
  for (const part of ['Answers', '100%', '< 1%', 'Video 720p, 5 s', '₽40.00', 'Anna', '₽41.50']) {
    expect(shown).toContain(part)
  }
  expect(shown).toContain('Sum\n₽9,007,199,296.24')
})

test('a filter narrows all of the overview, and the address has it', async () => {
  const { show } = await setUpViews()

  const { text, shown } = await show('overview?span=all&kind=video')

  expect(shown).toContain('₽40.00\n1 charge of ₽40.00')
  expect(text).toContain('aria-label="Clear the filter “Videos”"')
  expect(text).toContain('#/overview?span=7d&amp;kind=video"')
  expect((await show(`users/${ANNA}?kind=answer`)).shown).toContain('₽1.50\n1 charge of ₽1.50')
})

test('the view of a user shows what they spent, their limits and their access', async () => {
  const { show, prisma } = await setUpViews()
  await prisma.user.update({ where: { id: ANNA }, data: { firstName: '<b onclick="x">&' } })

  const { status, text, shown } = await show(`users/${ANNA}?span=today`)

  expect(status).toBe(200)
  expect(text).not.toContain('<b onclick')
  expect(shown).toContain('<b onclick="x">&\n@anna · id 101')
  expect(shown).toContain('A day\nNo limit\n₽41.50 spent')
  expect(shown).toContain('Has access')
  expect(shown).toContain('No orders yet')
})

test('an address that makes no sense shows the view without it, and an unknown one says so', async () => {
  const { show } = await setUpViews()

  for (const query of [
    'overview?span=year&user=1e3&kind=fraud&other=1',
    `overview?user=${'9'.repeat(30)}&model=${'x'.repeat(500)}`,
    `users?page=-1&search=${'a'.repeat(200)}%00`,
    'access?page=9999999&search=%25',
    'changes?before=x',
  ]) {
    expect((await show(query)).status, query).toBe(200)
  }
  for (const path of [
    'users/404',
    'users/anna',
    'users/%00',
    'limits/1',
    'nothing',
    'constructor',
  ]) {
    expect((await show(path)).status, path).toBe(404)
  }
  expect((await show('users/404')).shown).toContain('There is no such user')
})

test('the users are found by a part of a name, an @username and an id', async () => {
  const { show } = await setUpViews()

  for (const search of ['ANN', '@anna', '101']) {
    expect((await show(`users?search=${search}`)).shown, search).toContain('1 user\n')
  }
  expect((await show('users?search=nobody')).shown).toContain('Nobody matches “nobody”')
})

test('the check shows what is left, by how much the charges differ from it, and whether the sums are right', async () => {
  const { show, prisma, service } = await setUpViews()
  await show('check')
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_000_000n })
  service.balanceMicroRub -= 1_000_000n + 250_001n
  const right = await show('check')
  const where = { userId: BigInt(ANNA), kind: 'video' } as const
  await prisma.spendDay.updateMany({ where, data: { amountMicroRub: 999_999n } })

  const wrong = await show('check')
  service.isAway = true
  const away = await show('check')

  expect(right.shown).toContain('Balance\n₽1,233.25')
  expect(right.shown).toContain('Users were charged\n₽1.000000\nDifference\n₽0.250001')
  expect(right.shown).toContain('Every stored sum matches its charges.')
  expect(wrong.shown).toContain('1 stored sum doesn’t match its charges.')
  expect(wrong.shown).toContain('npm run spend -- rebuild')
  expect(away.shown).toContain('Balance\nunknown')
})
