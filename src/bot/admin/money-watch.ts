/** Alerts about money: the balance, the limit for everybody, and users who spend unusually much. */
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import type { Outlook } from '../spend/balance.ts'
import type { Calendar } from '../spend/calendar.ts'
import { formatMoney } from '../spend/format.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { EVERYBODY, type HeldLimit, type Limits } from '../spend/limits.ts'
import { NEAR_PERCENT } from '../spend/near-limits.ts'
import type { SettingValues } from '../stored-settings.ts'
import type { TextVariables } from '../texts/texts.ts'
import { type Alerts, type AlertsContext, earlier, hourAgo } from './alerts.ts'

/** A user who spends less in a day is never reported. */
const UNUSUAL_FROM_MICRO_RUB = 100_000_000n
/** The days before today whose mean is a user's usual day. */
const USUAL_DAYS = 30
const UNUSUAL_USERS_MAX = 10

export interface MoneyWatchContext extends Pick<AlertsContext, 'storedSettings' | 'texts'> {
  prisma: Pick<PrismaClient, '$queryRaw' | 'alert' | 'charge'>
  alerts: Pick<Alerts, 'notify'>
  calendar: Pick<Calendar, 'today'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: Pick<LimitTexts, 'report'>
  readOutlook: () => Promise<Outlook | undefined>
}

/** Checks money once. Each alert is sent at most once an hour, and again only if money was spent since. */
export async function watchMoney(context: MoneyWatchContext): Promise<void> {
  const wanted = await context.storedSettings.read()
  const { unusualTimes } = wanted
  // Read also if no admin wants to hear of it: the check of the balance begins with the first reading.
  const outlook = await context.readOutlook()
  if (outlook !== undefined) await reportBalance(context, outlook, wanted)
  await watchEverybody(context)
  if (unusualTimes === undefined) return
  const spenders = await readSpenders(context)
  const unusual = spenders.filter((one) => isUnusualSpend(one, unusualTimes))
  for (const spender of unusual.slice(0, UNUSUAL_USERS_MAX)) await reportSpender(context, spender)
}

/** Reports to admins that a request was refused since the limit for everybody leaves too little. */
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
  if (balance === undefined) return
  const last = await context.prisma.charge.findFirst({
    orderBy: { createdAt: 'desc' },
    select: { createdAt: true },
  })
  const chargedAt = last?.createdAt
  // What is left of a limit has words of its own.
  if (month === undefined && limit !== undefined && balance < limit) {
    await notify(context, 'balance-low', { chargedAt, amounts: { balance, limit } })
  }
  // A limit is new with the month.
  const bound = Math.min(daysLeftBelow ?? 0, month?.daysLeft ?? Number.POSITIVE_INFINITY)
  if (daysLeft !== undefined && daysLeft < bound) {
    const what = month === undefined ? 'days-left-low' : 'limit-days-low'
    const others = { days: Math.floor(daysLeft) }
    await notify(context, what, { chargedAt, amounts: { balance, pace }, others })
  }
}

/** Reports that the limit for everybody is near, and that it is reached: each once in a period. */
async function watchEverybody(context: MoneyWatchContext): Promise<void> {
  for (const held of await context.limits.ofSubject(EVERYBODY)) {
    const percent = percentSpent(held)
    if (percent === undefined || percent < NEAR_PERCENT) continue
    if (percent >= 100n) await reportLimit(context, 'reached', held)
    else if (!(await isReached(context, held))) await reportLimit(context, 'near', held)
  }
}

/** A limit may be reached before all of it is spent: if a request needs more than is left. */
async function isReached({ prisma }: MoneyWatchContext, held: HeldLimit): Promise<boolean> {
  const last = await prisma.alert.findUnique({ where: { name: limitAlert('reached', held) } })
  return last !== null && last.toldAt >= held.beganAt
}

function limitAlert(level: 'near' | 'reached', { period }: HeldLimit): string {
  return `everybody-limit-${level} ${period}`
}

function reportLimit(
  { alerts, limitTexts }: MoneyWatchContext,
  level: 'near' | 'reached',
  held: HeldLimit,
): Promise<void> {
  return alerts.notify({
    name: limitAlert(level, held),
    since: () => held.beganAt,
    write: (languageCode) => limitTexts.report(level, held, languageCode),
  })
}

function percentSpent({ amountMicroRub, spentMicroRub }: HeldLimit) {
  if (amountMicroRub === null || amountMicroRub === 0n) return undefined
  return (spentMicroRub * 100n) / amountMicroRub
}

interface Spender {
  userId: bigint
  firstName: string
  username: string | null
  todayMicroRub: bigint
  beforeMicroRub: bigint
  chargedAt: Date
}

function readSpenders({ prisma, calendar }: MoneyWatchContext): Promise<Spender[]> {
  const day = calendar.today()
  return prisma.$queryRaw`
    SELECT user_id AS "userId", first_name AS "firstName", username, today AS "todayMicroRub",
      (SELECT coalesce(sum(amount_micro_rub), 0)::bigint FROM bot.spend_day
       WHERE user_id = spent.user_id AND day < ${day} AND day >= ${day} - ${USUAL_DAYS}::int)
        AS "beforeMicroRub",
      (SELECT max(created_at) FROM bot.charge WHERE user_id = spent.user_id) AS "chargedAt"
    FROM (
      SELECT user_id, sum(amount_micro_rub)::bigint AS today FROM bot.spend_day
      WHERE day = ${day} GROUP BY user_id
      HAVING sum(amount_micro_rub) >= ${UNUSUAL_FROM_MICRO_RUB}
    ) AS spent JOIN bot."user" ON "user".id = user_id
    ORDER BY today DESC, user_id`
}

/**
 * Decides whether a user spends unusually much today: at least ₽100, and so many times their mean day of the 30 before.
 *
 * @param beforeMicroRub The sum of those 30 days.
 */
export function isUnusualSpend(
  { todayMicroRub, beforeMicroRub }: Pick<Spender, 'todayMicroRub' | 'beforeMicroRub'>,
  times: number,
): boolean {
  const isWorthAnAlert = todayMicroRub >= UNUSUAL_FROM_MICRO_RUB
  return isWorthAnAlert && todayMicroRub * BigInt(USUAL_DAYS) >= beforeMicroRub * BigInt(times)
}

function reportSpender(context: MoneyWatchContext, spender: Spender): Promise<void> {
  const { userId, firstName, username, todayMicroRub, beforeMicroRub, chargedAt } = spender
  return notify(context, 'unusual-spend', {
    of: ` ${userId}`,
    chargedAt,
    amounts: { today: todayMicroRub, mean: beforeMicroRub / BigInt(USUAL_DAYS) },
    others: {
      name: username === null ? firstName || '–' : `${firstName} (@${username})`,
      id: String(userId),
    },
  })
}

interface MoneyAlert {
  of?: string
  chargedAt: Date | undefined
  amounts: Readonly<Record<string, bigint>>
  others?: TextVariables
}

function notify(
  { alerts, texts }: MoneyWatchContext,
  what: 'balance-low' | 'days-left-low' | 'limit-days-low' | 'unusual-spend',
  { of = '', chargedAt, amounts, others }: MoneyAlert,
): Promise<void> {
  return alerts.notify({
    name: `${what}${of}`,
    since: (now) => earlier(hourAgo(now), chargedAt ?? now),
    write(languageCode) {
      const written = Object.entries(amounts).map(([name, microRub]) => [
        name,
        formatMoney(microRub, languageCode),
      ])
      return texts.t(languageCode, `admin-${what}`, { ...Object.fromEntries(written), ...others })
    },
  })
}
