/** Alerts about money: the balance, and the limit for everybody. */
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import type { Outlook } from '../spend/balance.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { EVERYBODY, type HeldLimit, type Limits } from '../spend/limits.ts'
import { NEAR_PERCENT } from '../spend/near-limits.ts'
import type { SettingValues } from '../stored-settings.ts'
import { type Alerts, type AlertsContext, type Facts, writeFacts } from './alerts.ts'

const REPEAT_MS = 86_400_000

export interface MoneyWatchContext extends Pick<AlertsContext, 'storedSettings' | 'texts'> {
  prisma: Pick<PrismaClient, '$queryRaw'>
  alerts: Pick<Alerts, 'notify'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: Pick<LimitTexts, 'report'>
  readOutlook: () => Promise<Outlook | undefined>
}

/** Checks money once. An alert about the balance is sent once a day, an alert about a limit once in its period. */
export async function watchMoney(context: MoneyWatchContext): Promise<void> {
  const wanted = await context.storedSettings.read()
  // Read even if no admin wants this alert: the check of the balance begins with the first reading.
  const outlook = await context.readOutlook()
  if (outlook !== undefined) await reportBalance(context, outlook, wanted)
  for (const held of await context.limits.ofSubject(EVERYBODY)) {
    const percent = percentSpent(held)
    if (percent === undefined || percent < NEAR_PERCENT) continue
    await reportLimit(context, percent >= 100n ? 'reached' : 'near', held)
  }
}

/** Notifies admins of a request that the limit for everybody refused. */
export async function reportReached(
  context: MoneyWatchContext,
  period: LimitPeriod,
): Promise<void> {
  const held = (await context.limits.ofSubject(EVERYBODY)).find((limit) => limit.period === period)
  if (held !== undefined && percentSpent(held) !== undefined) {
    await reportLimit(context, 'reached', held)
  }
}

async function reportBalance(
  context: MoneyWatchContext,
  { balanceMicroRub: balance, month, dayPaceMicroRub: pace, daysLeft }: Outlook,
  { balanceBelowMicroRub: limit, daysLeftBelow }: SettingValues,
): Promise<void> {
  // The limit for everybody has alerts of its own.
  if (balance === undefined || month !== undefined) return
  if (limit !== undefined && balance < limit) {
    await notify(context, 'balance-low', { balance, limit })
  }
  if (daysLeft !== undefined && daysLeftBelow !== undefined && daysLeft < daysLeftBelow) {
    const days = Math.floor(daysLeft)
    await notify(context, 'days-left-low', { balance, pace, days })
  }
}

async function notify(
  { prisma, alerts, texts }: MoneyWatchContext,
  what: 'balance-low' | 'days-left-low',
  facts: Facts,
): Promise<void> {
  const since = new Date((await readTime(prisma)).getTime() - REPEAT_MS)
  const write = (languageCode: string | undefined) =>
    texts.t(languageCode, `admin-${what}`, writeFacts(facts, languageCode))
  await alerts.notify({ name: what, since, write })
}

function reportLimit(
  { alerts, limitTexts }: MoneyWatchContext,
  level: 'near' | 'reached',
  held: HeldLimit,
): Promise<void> {
  return alerts.notify({
    name: `everybody-limit-${level} ${held.period}`,
    since: held.beganAt,
    write: (languageCode) => limitTexts.report(level, held, languageCode),
  })
}

function percentSpent({ amountMicroRub, spentMicroRub }: HeldLimit) {
  if (amountMicroRub === null || amountMicroRub === 0n) return undefined
  return (spentMicroRub * 100n) / amountMicroRub
}
