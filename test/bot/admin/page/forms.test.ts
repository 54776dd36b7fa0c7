import { expect, test } from 'vitest'
import { ADMIN, ANNA, readText, setUpPage, VIEWER } from './page-setup.ts'

const LIMIT = { form: `limit-${ANNA}-day`, subject: ANNA, period: 'day', seen: '' }
const ROLE = { form: `access-${ANNA}-role`, user: ANNA, seen: '' }
const DECISION = { form: `access-${ANNA}-decision`, user: ANNA, seen: '' }

const SETTINGS = {
  form: 'settings',
  ...seen({ balance: '500', days: '3', failures: 'on', digest: '10' }),
  ...seen({ confirm: '50', parallel: '3', deadline: '60' }),
}

/** The fields of a form as it was shown, not yet changed. */
function seen(fields: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.flatMap(([name, value]) => [
      [name, value],
      [`seen-${name}`, value],
    ]),
  )
}

async function setUpForms() {
  const page = await setUpPage()
  const token = await page.signIn(ADMIN)
  return { ...page, show, send }

  async function show(path: string): Promise<string> {
    return readText((await page.ask('GET', `/view/${path}`, { token })).text)
  }

  /** Sends a form. @returns The status, and the sentences that stand beside its fields. */
  async function send(path: string, body: Readonly<Record<string, string | number>>) {
    const { status, text } = await page.ask('POST', `/view/${path}`, { token, body })
    const alerts = [...text.matchAll(/role="alert">([^<]*)/g)].map(([, sentence]) => sentence)
    return { status, alerts, text }
  }
}

test('an admin sets a limit and takes it away, and the log names who did', async () => {
  const { send, show, changes } = await setUpForms()

  const form = { form: 'limit-0-day', subject: 0, period: 'day', seen: '' }
  expect((await send('limits', { ...form, amount: '5' })).status).toBe(200)
  expect((await send(`users/${ANNA}`, { ...LIMIT, amount: '1 250,5' })).text).toContain('Saved')
  expect(await show('limits')).toContain('Anna\nA day\n₽1,250.50')
  const clear = { ...LIMIT, seen: '1250500000', amount: '1250.5', default: 'yes' }
  expect((await send(`users/${ANNA}`, clear)).status).toBe(200)
  expect(await show(`users/${ANNA}`)).toContain('A day\n₽5.00\ndefault')
  await send(`users/${ANNA}`, { ...LIMIT, amount: '' })

  expect(await changes()).toEqual([
    'limit_day 101: null → none',
    'limit_day 101: 1250500000 → null',
    'limit_day 101: null → 1250500000',
    'limit_day null: null → 5000000',
  ])
  expect(await show('changes')).toContain('Daily limit · Anna\nnothing → no limit\nАда · ')
})

// Promise: An amount typed on the page is negative, huge or none
test.each([
  ['-5', 'An amount can’t be below zero.'],
  ['ten', 'Write an amount such as 50 or 2.50.'],
  ['1,000', 'Write an amount such as 50 or 2.50.'],
  ['1e9', 'Write an amount such as 50 or 2.50.'],
  ['0x10', 'Write an amount such as 50 or 2.50.'],
  ['1.0000001', 'Write an amount such as 50 or 2.50.'],
  ['1000000000.01', 'At most 1,000,000,000 roubles.'],
  ['9'.repeat(60), 'Write an amount such as 50 or 2.50.'],
])('the amount %s is refused beside its field, and stays there', async (typed, sentence) => {
  const { send, changes } = await setUpForms()

  const { status, alerts, text } = await send(`users/${ANNA}`, { ...LIMIT, amount: typed })

  expect([status, alerts]).toEqual([422, [sentence]])
  expect(text).toContain(`value="${typed}"`)
  expect(text).toMatch(/<details class="edit" id="limit-101-day-edit" open>/)
  expect(await changes()).toEqual([])
})

// Promise: A limit is set on the page for a user whom the bot does not know
test.each([
  ['an unknown user', { subject: '424242' }],
  ['no user', { subject: '' }],
  ['a word', { subject: 'anna' }],
  ['a text that is too long', { subject: 'a'.repeat(500) }],
])('a limit for %s is refused', async (_, fields) => {
  const { send, changes } = await setUpForms()

  const { status } = await send('limits', { ...LIMIT, amount: '5', ...fields })

  expect(status).toBe(422)
  expect(await changes()).toEqual([])
})

test('a period and a decision that no form offers are refused', async () => {
  const { send, changes } = await setUpForms()
  const refused = [422, ['The bot doesn’t accept this value.']]

  const period = await send(`users/${ANNA}`, { ...LIMIT, period: 'year', amount: '5' })
  const decision = { form: 'access-101-decision', user: ANNA, decision: 'crowned' }
  const decided = await send(`users/${ANNA}`, decision)
  const role = await send(`users/${ANNA}`, { form: 'access-101-role', user: ANNA, role: 'owner' })

  expect([period.status, decided.status, role.status]).toEqual([422, 422, 422])
  expect([decided.status, decided.alerts]).toEqual(refused)
  expect(await changes()).toEqual([])
})

test('a limit that another admin changed meanwhile is not overwritten unseen', async () => {
  const { send, changes } = await setUpForms()
  await send(`users/${ANNA}`, { ...LIMIT, amount: '7' })

  const late = await send(`users/${ANNA}`, { ...LIMIT, amount: '9' })

  expect([late.status, late.alerts]).toEqual([422, [expect.stringContaining('it is ₽7.00 now')]])
  expect(await changes()).toHaveLength(1)
  const again = await send(`users/${ANNA}`, { ...LIMIT, seen: '7000000', amount: '9' })
  expect(again.status).toBe(200)
})

// Promise: Two admins save the same form within milliseconds
test.each([
  ['limit', `users/${ANNA}`, LIMIT, [{ amount: '7' }, { amount: '9' }]],
  ['role', `users/${ANNA}`, ROLE, [{ role: 'viewer' }, { role: 'admin' }]],
  ['decision', `users/${ANNA}`, DECISION, [{ decision: 'blocked' }, { decision: 'allowed' }]],
  ['setting', 'settings', SETTINGS, [{ confirm: '7' }, { confirm: '9' }]],
])('of two changes of one %s at once one is stored, and the other sees it', async (...given) => {
  const [, path, form, changed] = given
  const { send, changes } = await setUpForms()

  const answers = await Promise.all(changed.map((fields) => send(path, { ...form, ...fields })))

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  const refused = answers.find(({ status }) => status === 422)
  expect(refused?.alerts).toEqual([expect.stringContaining('Someone has changed this meanwhile')])
  expect(await changes()).toHaveLength(1)
})

test('an admin blocks a user and lets them in again, and they are notified', async () => {
  const { send, show, changes, sentTexts } = await setUpForms()
  const decide = (decision: string, before: string) =>
    send(`users/${ANNA}`, {
      form: `access-${ANNA}-decision`,
      user: ANNA,
      decision,
      seen: before,
    })

  expect((await decide('blocked', '')).status).toBe(200)
  expect(await show('access?search=anna')).toContain('Blocked')
  const late = await decide('refused', '')
  expect((await decide('allowed', 'blocked')).status).toBe(200)

  expect([late.status, late.alerts]).toEqual([422, [expect.stringContaining('it is Blocked now')]])
  expect(sentTexts).toHaveLength(1)
  expect(await changes()).toEqual(['access 101: blocked → allowed', 'access 101: null → blocked'])
  const unknown = await send(`users/${ANNA}`, {
    form: 'access-404-decision',
    user: 404,
    decision: 'blocked',
  })
  expect(unknown.status).toBe(422)
  const admin = {
    form: 'access-1-decision',
    user: ADMIN,
    decision: 'blocked',
    seen: '',
  }
  expect((await send(`users/${ADMIN}`, admin)).alerts).toEqual([
    'Admins can’t be blocked. Remove the role first.',
  ])
})

test('an admin gives roles and takes them away; the last admin stays', async () => {
  const { send, changes } = await setUpForms()
  const give = (user: number, role: string, before: string) =>
    send(`users/${user}`, { form: `access-${user}-role`, user, role, seen: before })

  expect((await give(ANNA, 'viewer', '')).status).toBe(200)
  expect((await give(VIEWER, 'none', 'viewer')).status).toBe(200)
  const late = await give(ANNA, 'admin', '')
  const last = await give(ADMIN, 'none', 'admin')

  expect([late.status, late.alerts]).toEqual([422, [expect.stringContaining('it is Viewer now')]])
  expect(last.status).toBe(422)
  expect(last.alerts).toEqual(['You’re the last admin. Make somebody else an admin first.'])
  expect(await changes()).toEqual(['role 2: viewer → null', 'role 101: null → viewer'])
})

test('an admin sets alerts and rules together; what is not changed keeps what another admin set', async () => {
  const { send, show, changes } = await setUpForms()

  expect((await send('settings', { ...SETTINGS, days: '', digest: '9' })).status).toBe(200)
  const other = await send('settings', {
    ...SETTINGS,
    failures: 'off',
    confirm: '0',
    deadline: '90',
  })

  expect(other.status).toBe(200)
  expect((await changes()).sort()).toEqual([
    'setting:alert_days_left_below null: 3 → off',
    'setting:alert_service_failures null: on → off',
    'setting:digest_hour null: 10 → 9',
    'setting:media_confirm_from_micro_rub null: 50000000 → 0',
    'setting:media_deadline_minutes null: 60 → 90',
  ])
  expect(await show('changes')).toContain('Daily digest: hour')
})

test('a setting that is empty, out of bounds, no number or changed meanwhile is refused, and nothing is saved', async () => {
  const { send, changes } = await setUpForms()
  const wrong: [Record<string, string>, string][] = [
    [{ days: '0', failures: 'off' }, 'Write a whole number from 1 to 365.'],
    [{ days: '1.5' }, 'Write a whole number from 1 to 365.'],
    [{ digest: '24' }, 'Write a whole number from 0 to 23.'],
    [{ failures: 'maybe' }, 'The bot doesn’t accept this value.'],
    [{ balance: '-1' }, 'An amount can’t be below zero.'],
    [{ confirm: '' }, 'Write an amount such as 50 or 2.50.'],
    [{ parallel: '' }, 'Write a whole number from 1 to 100.'],
    [{ deadline: '9'.repeat(60) }, 'Write a whole number from 1 to 1,440.'],
    [
      { days: '7', 'seen-days': '4', confirm: '9' },
      'Someone has changed this meanwhile: it is 3 now.',
    ],
  ]

  for (const [change, sentence] of wrong) {
    const { status, alerts } = await send('settings', { ...SETTINGS, ...change })
    expect([status, alerts]).toEqual([422, [expect.stringContaining(sentence)]])
  }
  expect(await changes()).toEqual([])
})

test('the limit of BUDGET_RUB is replaced by a form that shows it', async () => {
  const { prisma, show, send, changes } = await setUpForms()
  const budget = { subjectId: -2, period: 'month', amountMicroRub: 9_000_000n } as const
  await prisma.spendLimit.create({ data: { ...budget, setById: 0 } })
  expect(await show('limits')).toContain('A month\n₽9.00')

  const form = { form: 'limit--2-month', subject: -2, period: 'month', seen: '9000000' }
  expect((await send('limits', { ...form, amount: '5' })).status).toBe(200)

  expect(await changes()).toEqual(['limit_month -2: 9000000 → 5000000'])
})
