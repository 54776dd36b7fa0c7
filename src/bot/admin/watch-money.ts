import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Outlook } from '../spend/balance.ts'
import type { Calendar } from '../spend/calendar.ts'
import { formatMoney } from '../spend/format.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'
import type { AlertSettings, AlertSettingValues } from './alert-settings.ts'
import type { EverybodyWatch } from './everybody-limit.ts'
import type { NotifyAdmins } from './notify-admins.ts'

/** A user who spends less in a day is never reported. */
const UNUSUAL_FROM_MICRO_RUB = 100_000_000n
/** The days before today whose mean is a user's usual day. */
const USUAL_DAYS = 30
const UNUSUAL_USERS_MAX = 10

export interface MoneyWatchDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | 'charge'>
  settings: Pick<AlertSettings, 'read'>
  calendar: Pick<Calendar, 'today'>
  readOutlook: () => Promise<Outlook | undefined>
  everybodyWatch: Pick<EverybodyWatch, 'look'>
  notifyAdmins: NotifyAdmins
  texts: Texts
}

interface MoneyAlert {
  of?: bigint
  causedAt: Date | undefined
  amounts: Record<string, bigint>
  others?: TextVariables
}

/** Looks at the balance, at the limit for everybody and at what users spend, and notifies admins of what they want to hear. */
export function createMoneyWatch(deps: MoneyWatchDeps) {
  const { prisma, settings, calendar, readOutlook, everybodyWatch, notifyAdmins, texts } = deps
  return { look }

  /** Looks once. Of each thing admins hear at most once an hour, and again only if money was spent since. */
  async function look(): Promise<void> {
    const wanted = await settings.read()
    const { unusualTimes } = wanted
    // Read also where no admin wants to hear of it: the check of the balance begins with the first reading.
    await judge(wanted)
    await everybodyWatch.look()
    if (unusualTimes === undefined) return
    const spenders = (await readSpenders()).filter((one) => isUnusualSpend(one, unusualTimes))
    for (const spender of spenders.slice(0, UNUSUAL_USERS_MAX)) await notifyOf(spender)
  }

  async function judge(wanted: AlertSettingValues): Promise<void> {
    const outlook = await readOutlook()
    if (outlook === undefined) return
    const { balanceMicroRub: balance, month, dayPaceMicroRub: pace, daysLeft } = outlook
    if (balance === undefined) return
    const { balanceBelowMicroRub: limit, daysLeftBelow } = wanted
    const causedAt = await lastChargedAt()
    // What is left of a limit has words of its own.
    if (month === undefined && limit !== undefined && balance < limit) {
      await notify('balance-low', { causedAt, amounts: { balance, limit } })
    }
    // A limit is new with the month.
    const bound = Math.min(daysLeftBelow ?? 0, month?.daysLeft ?? Number.POSITIVE_INFINITY)
    if (daysLeft !== undefined && daysLeft < bound) {
      const what = month === undefined ? 'days-left-low' : 'limit-days-low'
      const others = { days: Math.floor(daysLeft) }
      await notify(what, { causedAt, amounts: { balance, pace }, others })
    }
  }

  function readSpenders(): Promise<Spender[]> {
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

  async function notifyOf({ userId, firstName, username, ...spend }: Spender): Promise<void> {
    const name = username === null ? firstName || '–' : `${firstName} (@${username})`
    await notify('unusual-spend', {
      of: userId,
      causedAt: spend.chargedAt,
      amounts: {
        today: spend.todayMicroRub,
        mean: spend.beforeMicroRub / BigInt(USUAL_DAYS),
      },
      others: { name, id: String(userId) },
    })
  }

  function notify(
    what: 'balance-low' | 'days-left-low' | 'limit-days-low' | 'unusual-spend',
    { of, causedAt, amounts, others }: MoneyAlert,
  ): Promise<void> {
    const write = (languageCode: string | undefined) => {
      const written = Object.entries(amounts).map(([name, microRub]) => [
        name,
        formatMoney(microRub, languageCode),
      ])
      return texts.t(languageCode, `admin-${what}`, { ...Object.fromEntries(written), ...others })
    }
    return notifyAdmins({ name: of === undefined ? what : `${what} ${of}`, causedAt, write })
  }

  async function lastChargedAt(): Promise<Date | undefined> {
    const last = await prisma.charge.findFirst({
      orderBy: { createdAt: 'desc' },
      select: { createdAt: true },
    })
    return last?.createdAt
  }
}

export type MoneyWatch = ReturnType<typeof createMoneyWatch>

interface Spender {
  userId: bigint
  firstName: string
  username: string | null
  todayMicroRub: bigint
  beforeMicroRub: bigint
  chargedAt: Date
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
