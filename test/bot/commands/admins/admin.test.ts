import { expect, test } from 'vitest'
import { openChat } from '../../media/card/card-setup.ts'
import { ADMIN, buttonsOf, database, useCommands } from '../commands-setup.ts'

useCommands()

async function open({ reportedPrices }: { reportedPrices?: ReadonlyMap<string, bigint> } = {}) {
  const setup = await openChat({ ...(reportedPrices && { reportedPrices }) })
  await setup.send('/admin', { userId: ADMIN })
  const shown = () => setup.playground.transcript(ADMIN).at(-1)
  const press = (text: string) => setup.press(ADMIN, text)
  return { ...setup, press, shown, buttons: () => buttonsOf(shown()) }
}

test('/admin is one message, whose buttons lead to limits, alerts and the rules for orders, and back', async () => {
  const { press, shown, buttons } = await open()
  const { id, text } = shown() ?? {}
  expect(buttons()).toEqual([['Limits'], ['Alerts'], ['Orders']])

  for (const [step, says] of [
    ['Limits', 'Default limits'],
    ['Alerts', 'What I tell admins'],
    ['Orders', 'Rules for orders'],
  ] as const) {
    await press(step)
    expect(shown()?.text).toContain(says)
    await press('« All settings')
    expect(shown()).toMatchObject({ id, text })
  }
})

test('an alert is changed by taps: what it is, its value; the one that holds is ticked', async () => {
  const { press, shown, buttons } = await open()
  await press('Alerts')

  await press('Balance')
  expect(buttons()).toEqual([
    ['₽100.00', '✓ ₽500.00', '₽1,000.00'],
    ['₽5,000.00', 'Off'],
    ['« Back'],
  ])
  await press('₽1,000.00')
  expect(shown()?.text).toContain('below ₽1,000.00')
  await press('Daily digest')
  expect(buttons()).toEqual([['08:00', '✓ 10:00', '20:00'], ['Off'], ['« Back']])
  await press('Off')
  await press('Days left')
  expect(buttons()[0]).toEqual(['1 day', '✓ 3 days', '7 days'])
  await press('« Back')
  await press('Unusual spend')
  expect(buttons()[0]).toEqual(['3×', '✓ 5×', '10×'])
  await press('10×')
  await press('Failures')
  expect(buttons()[0]).toEqual(['✓ On', 'Off'])
  await press('Off')

  expect(shown()?.text).toMatch(
    /10 times the usual.*\n• service failures: off\n• daily digest: off$/,
  )
  expect(buttons().at(-1)).toEqual(['« All settings'])
  expect(await database.prisma.change.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    { adminId: BigInt(ADMIN), what: 'setting:alert_balance_below_micro_rub', after: '1000000000' },
    { what: 'setting:digest_hour', after: 'off' },
    { what: 'setting:alert_unusual_times', after: '10' },
    { what: 'setting:alert_service_failures', after: 'off' },
  ])
})

test('a rule for orders is changed by taps', async () => {
  const { press, shown, buttons, mediaRules } = await open()
  await press('Orders')

  await press('Confirm from')
  expect(buttons()[0]).toEqual(['Always', '✓ ₽50.00', '₽100.00'])
  await press('₽100.00')
  await press('At the same time')
  expect(buttons()[0]).toEqual(['1', '✓ 3', '5'])
  await press('1')
  await press('Deadline')
  expect(buttons()[0]).toEqual(['30 min', '✓ 60 min', '90 min'])
  await press('90 min')

  expect(shown()?.text).toMatch(/from ₽100\.00 on.*One order of a user is.*in 90 min/s)
  expect(await mediaRules.read()).toEqual({
    confirmFromMicroRub: 100_000_000n,
    parallelMax: 1,
    deadlineMs: 90 * 60_000,
  })
})

test('where nothing is sold but answers, there are no rules for orders', async () => {
  const { buttons } = await open({ reportedPrices: new Map() })

  expect(buttons()).toEqual([['Limits'], ['Alerts']])
})

test('a default limit is set, and taken away again, by taps: whose, its period, its amount', async () => {
  const { press, shown, buttons } = await open()
  await press('Limits')

  await press('For groups')
  expect(buttons()).toEqual([['Day', 'Week', 'Month', 'In total'], ['« Back']])
  await press('Week')
  expect(shown()?.text).toBe('The default of groups. How much may each spend a week?')
  await press('₽1,000.00')
  expect(shown()?.text).toContain('for a user: no limit\nfor a group: ₽1,000.00 a week')
  await press('For groups')
  await press('Week')
  await press('« Back')
  expect(buttons()).toEqual([['Day', 'Week', 'Month', 'In total'], ['« Back']])
  await press('Week')
  await press('No limit')

  expect(shown()?.text).toContain('for a group: no limit')
  expect(buttons().at(-1)).toEqual(['« All settings'])
  const log = await database.prisma.change.findMany({ where: { what: 'limit_week' } })
  expect(log).toMatchObject([
    { adminId: BigInt(ADMIN), subjectId: -1n, before: null, after: '1000000000' },
    { before: '1000000000', after: null },
  ])
})

test('a value that no button says is set by no press', async () => {
  const { shown, forge, answered } = await open()
  const { id: messageId = 0 } = shown() ?? {}

  const pressed = await forge({ userId: ADMIN, messageId, data: 'alerts:balance:750' })

  expect(answered(pressed)).toBe('This button no longer works.')
  expect(await database.prisma.change.count({ where: { after: '750000000' } })).toBe(0)
})

test('what everybody together may spend is set by taps, and may be without a limit', async () => {
  const { press, shown } = await open()
  await press('Limits')
  await press('For everybody together')
  await press('Month')
  expect(shown()?.text).toBe('Everybody together. How much may they spend a month?')
  await press('₽5,000.00')
  expect(shown()?.text).toMatch(/^Everybody together: ₽5,000\.00 a month\n/)

  await press('For everybody together')
  await press('Month')
  await press('No limit')

  const where = { subjectId: -2 }
  expect(await database.prisma.spendLimit.findMany({ where })).toMatchObject([
    { period: 'month', amountMicroRub: null, setById: BigInt(ADMIN) },
  ])
})
