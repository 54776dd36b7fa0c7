import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Texts, TextVariables } from '../locales/texts.ts'
import type { Calendar } from '../spend/calendar.ts'
import type { Outlook } from '../spend/check/service-balance.ts'
import { formatMoney } from '../spend/format.ts'
import type { AlertSettings, AlertSettingValues } from './alert-settings.ts'
import type { EverybodyWatch } from './everybody-limit.ts'
import type { NotifyAdmins } from './notify-admins.ts'
import { findUnusualSpend, type UnusualSpend } from './unusual-spend.ts'

export interface MoneyWatchDeps {
  prisma: Pick<PrismaClient, '$queryRaw' | 'charge'>
  settings: Pick<AlertSettings, 'read'>
  calendar: Pick<Calendar, 'today'>
  /** Undefined where the service does not answer now. */
  readOutlook: () => Promise<Outlook | undefined>
  everybodyWatch: Pick<EverybodyWatch, 'look'>
  notifyAdmins: NotifyAdmins
  texts: Texts
}

interface MoneyAlert {
  /** The user whom it is about: each has alerts of their own. */
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
    // Read also where no admin wants to hear of it: the check of the balance lives on readings.
    await judge(wanted)
    await everybodyWatch.look()
    if (unusualTimes === undefined) return
    const users = await findUnusualSpend(prisma, { times: unusualTimes, calendar })
    for (const user of users) await notifyOf(user)
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

  async function notifyOf({ userId, firstName, username, ...spend }: UnusualSpend): Promise<void> {
    const name = username === null ? firstName || '–' : `${firstName} (@${username})`
    await notify('unusual-spend', {
      of: userId,
      causedAt: spend.chargedAt,
      amounts: { today: spend.todayMicroRub, usual: spend.usualMicroRub },
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
