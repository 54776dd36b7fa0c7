/**
 * The digest: yesterday's spending, sent to admins and viewers once a day at the hour that admins set, by TIME_ZONE.
 *
 * Invariant: a reader has at most one digest a day, however many processes send it and however often they restart. The
 * process that writes the reader's row in `alert` sends. A failed send is not repeated: a missing digest does less harm
 * than two.
 */
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { claimAlert } from '../claim-alert.ts'
import type { RoleHolder, Roles } from '../people/roles.ts'
import type { Outlook } from '../spend/balance.ts'
import { formatMoney } from '../spend/format.ts'
import type { Reports, UserSpend } from '../spend/reports.ts'
import type { SpendPictures } from '../spend/spend-pictures.ts'
import type { StoredSettings } from '../stored-settings.ts'
import { errorFacts } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/send.ts'
import { type PicturedMessage, sendPictured } from '../telegram/shortcuts.ts'
import { YEAR_DAYS } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import { type Texts, type TextVariables, toLanguage } from '../texts/texts.ts'

const USERS_SHOWN = 5
/** The longest name: keeps the text within the limit of a caption. */
const NAME_CHARS_MAX = 24

export interface DigestDeps {
  prisma: Pick<PrismaClient, 'alert' | 'spendDay' | '$queryRaw' | '$executeRaw'>
  storedSettings: Pick<StoredSettings, 'read'>
  roles: Pick<Roles, 'holders'>
  reports: Pick<Reports, 'overview'>
  readOutlook: () => Promise<Outlook | undefined>
  pictures: Pick<SpendPictures, 'ofAll'>
  outbox: Pick<Outbox, 'send' | 'sendMedia'>
  texts: Texts
  timeZone: string
  log: Logger
}

interface DigestFacts {
  day: string
  dayMicroRub: bigint
  monthMicroRub: bigint
  failedOrders: number
  users: readonly UserSpend[]
  outlook: Outlook | undefined
}

/** Sends today's digest to readers who lack it; after a sleep through the hour, later on the same day. */
export async function sendDigestIfDue(deps: DigestDeps, signal: AbortSignal): Promise<void> {
  const { digestHour } = await deps.storedSettings.read()
  const today = await readToday(deps)
  // An hour that a change of clocks skips is past in the next hour.
  if (digestHour === undefined || today.hour < digestHour) return
  const readers = await findReaders(deps, today.beganAt)
  const facts = readers.length === 0 ? undefined : await readFacts(deps)
  if (facts === undefined) return
  const languages = Map.groupBy(readers, ({ languageCode }) => toLanguage(languageCode))
  const sendings = Array.from(languages, async ([languageCode, having]) => {
    const text = writeDigest(facts, { texts: deps.texts, languageCode })
    const picture = await deps.pictures.ofAll(languageCode)
    const options = { signal, since: today.beganAt }
    await Promise.all(
      having.map(({ userId }) => send(deps, { chatId: userId, text, picture }, options)),
    )
  })
  await Promise.all(sendings)
}

async function readToday({
  prisma,
  timeZone,
}: DigestDeps): Promise<{ beganAt: Date; hour: number }> {
  const [now] = await prisma.$queryRaw<{ beganAt: Date; hour: number }[]>`
    SELECT date_trunc('day', wall) AT TIME ZONE ${timeZone} AS "beganAt",
      extract(hour FROM wall)::int AS hour
    FROM (SELECT now() AT TIME ZONE ${timeZone} AS wall) AS clock`
  if (now === undefined) throw new TypeError('Cannot read time: no row')
  return now
}

async function findReaders({ prisma, roles }: DigestDeps, since: Date): Promise<RoleHolder[]> {
  const sent = await prisma.alert.findMany({
    where: { name: { startsWith: nameOf('') }, toldAt: { gte: since } },
  })
  const names = new Set(sent.map(({ name }) => name))
  return (await roles.holders()).filter(({ userId }) => !names.has(nameOf(userId)))
}

function nameOf(userId: number | ''): string {
  return `digest ${userId}`
}

async function send(
  { prisma, outbox, log }: DigestDeps,
  message: PicturedMessage,
  { signal, since }: { signal: AbortSignal; since: Date },
): Promise<void> {
  const userId = message.chatId
  if (!(await claimAlert(prisma, nameOf(userId), since))) return
  try {
    await sendPictured(outbox, message, { signal })
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ ...errorFacts(error), userId }, 'digest maybe not sent')
  }
}

/** @returns Undefined if nothing was ever spent before today. */
async function readFacts(deps: DigestDeps): Promise<DigestFacts | undefined> {
  const { prisma, reports, readOutlook } = deps
  const { byDay, users } = await reports.overview({ span: '30d' }, USERS_SHOWN)
  const yesterday = byDay.at(-2)
  if (yesterday === undefined) return undefined
  const where = { day: { lte: new Date(yesterday.day) } }
  if ((await prisma.spendDay.findFirst({ where, select: { day: true } })) === null) return undefined
  const month = await reports.overview({ span: 'month' }, 0)
  return {
    day: yesterday.day,
    dayMicroRub: yesterday.amountMicroRub,
    monthMicroRub: month.sum.amountMicroRub,
    failedOrders: await countFailedOrders(deps, yesterday.day),
    users,
    outlook: await readOutlook(),
  }
}

async function countFailedOrders({ prisma, timeZone }: DigestDeps, day: string): Promise<number> {
  const [counted] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM bot."order"
    WHERE state = 'failed' AND ended_at >= ${day}::date::timestamp AT TIME ZONE ${timeZone}
      AND ended_at < (${day}::date + 1)::timestamp AT TIME ZONE ${timeZone}`
  return counted?.count ?? 0
}

function writeDigest(
  { day, dayMicroRub, monthMicroRub, failedOrders, users, outlook }: DigestFacts,
  { texts, languageCode }: { texts: Texts; languageCode: string | undefined },
): string {
  const t = (key: string, variables?: TextVariables) => texts.t(languageCode, key, variables)
  const money = (microRub: bigint) => formatMoney(microRub, languageCode)
  const sums = [
    t('digest-day', { day: formatDay(day, languageCode), amount: money(dayMicroRub) }),
    t('digest-month', { amount: money(monthMicroRub) }),
    ...(failedOrders === 0 ? [] : [t('digest-failed', { count: failedOrders })]),
  ]
  const names = users.map(({ user: { id, firstName, username }, spend }, index) => {
    const name = shortenLine(username === null ? firstName : `@${username}`, NAME_CHARS_MAX)
    return `${index + 1}. ${name || `id ${id}`}: ${money(spend.amountMicroRub)}`
  })
  const spenders = names.length === 0 ? [] : [t('digest-users'), ...names]
  const paragraphs = [sums.join('\n'), spenders.join('\n'), describe(outlook)]
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')

  function describe(left: Outlook | undefined): string {
    if (left === undefined) return t('digest-balance-unknown')
    if (left.balanceMicroRub === undefined) return ''
    const balance = money(left.balanceMicroRub)
    if (left.month?.limitMicroRub !== undefined) {
      return t('digest-limit', { left: balance, limit: money(left.month.limitMicroRub) })
    }
    if (left.daysLeft === undefined) return t('digest-balance', { balance })
    if (left.daysLeft > YEAR_DAYS) return t('digest-balance-year', { balance })
    return t('digest-balance-days', { balance, days: Math.floor(left.daysLeft) })
  }
}

function formatDay(day: string, languageCode: string | undefined): string {
  const locale = toLanguage(languageCode) === 'ru' ? 'ru' : 'en-GB'
  const style = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, style).format(new Date(day))
}
