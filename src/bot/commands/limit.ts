import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import { readAmount } from '../admin/settings.ts'
import { formatMoney } from '../spend/format.ts'
import { type LimitTexts, whoseOf } from '../spend/limit-texts.ts'
import { ALL_GROUPS, ALL_USERS, EVERYBODY, type HeldLimit, type Limits } from '../spend/limits.ts'
import { findSubject, type Subject } from '../spend/users.ts'
import { toLanguage } from '../texts/texts.ts'
import type { Command, CommandDefinition } from './command.ts'

const PERIODS: Readonly<Record<string, LimitPeriod>> = {
  day: 'day',
  week: 'week',
  month: 'month',
  all: 'all',
  день: 'day',
  неделя: 'week',
  неделю: 'week',
  месяц: 'month',
  всего: 'all',
}

const NONE = ['none', 'нет']
const AS_DEFAULT = 'default'

interface LimitApp {
  prisma: PrismaClient
  limits: Limits
  limitTexts: LimitTexts
}

/** The new amount. `default` removes an own limit; null means no limit. */
type Given = { amount: bigint | null | typeof AS_DEFAULT; period: LimitPeriod }

export const limitCommand: CommandDefinition<LimitApp> = {
  name: 'limit',
  audience: 'admins',
  usage: '[who] [roubles|none|default] [day|week|month|all]',
  async handle(app, command) {
    const { argument, t, answer } = command
    const [who, ...rest] = argument.split(/\s+/)
    if (!who) {
      const limits = await describeDefaults(app, command)
      return answer(`${limits}\n\n${t('limit-usage')}`)
    }
    const subject = await findSubject(app.prisma, who)
    if (typeof subject === 'string') return answer(t(`limit-who-${subject}`, { who }))
    if (rest.length > 0) {
      const given = readLimit(rest, command)
      if (typeof given === 'string') return answer(t(given))
      await change(app.limits, { subjectId: subject.id, ...given, adminId: command.user.id })
    }
    await answer(await describe(app, subject, command))
  },
}

async function change(
  limits: Limits,
  { amount, ...limit }: Given & { subjectId: bigint; adminId: number },
): Promise<void> {
  if (amount === AS_DEFAULT) await limits.clear(limit)
  else await limits.set({ ...limit, amountMicroRub: amount })
}

/** @returns The key of a sentence if the words are no limit. */
function readLimit(words: readonly string[], { user }: Command): Given | string {
  const period = PERIODS[words.at(-1)?.toLowerCase() ?? '']
  if (period === undefined) return 'limit-period-unknown'
  const text = words.slice(0, -1).join(' ').toLowerCase()
  if (NONE.includes(text)) return { amount: null, period }
  if (text === AS_DEFAULT) return { amount: AS_DEFAULT, period }
  const amount = readAmount(text, toLanguage(user.languageCode))
  if (amount === null) return 'limit-usage'
  return typeof amount === 'string' ? amount : { amount, period }
}

async function describe(app: LimitApp, { id, name }: Subject, command: Command) {
  const { t } = command
  // A default has no sum of its own.
  if (id === ALL_USERS || id === ALL_GROUPS) return describeDefaults(app, command)
  const held = await app.limits.ofSubject(id)
  const head = t('limit-of', { whose: whoseOf(id), name: name || '–', id: String(id) })
  const lines = held.map((limit) => lineOf(limit, app, command))
  return [head, ...(lines.length > 0 ? lines : [t('limit-unlimited')])].join('\n')
}

function lineOf(held: HeldLimit, { limitTexts }: LimitApp, { user, t }: Command): string {
  const { amountMicroRub, spentMicroRub, reservedMicroRub } = held
  const limit = limitTexts.limit(held, user.languageCode)
  const line = t('limit-line', { limit, origin: originOf(held) })
  if (amountMicroRub === null) return line
  const money = (microRub: bigint) => formatMoney(microRub > 0n ? microRub : 0n, user.languageCode)
  const sums = {
    spent: money(spentMicroRub),
    reserved: money(reservedMicroRub),
    left: money(amountMicroRub - spentMicroRub - reservedMicroRub),
  }
  return `${line} — ${t('limit-spent', sums)}`
}

function originOf({ subjectId, isOwn }: HeldLimit) {
  if (subjectId === EVERYBODY) return isOwn ? 'set' : 'settings'
  return isOwn ? 'own' : 'default'
}

async function describeDefaults(
  { limits, limitTexts }: LimitApp,
  { user, t }: Pick<Command, 'user' | 't'>,
): Promise<string> {
  const all = (await limits.list()).toSorted((one, other) => orderOf(one) - orderOf(other))
  const of = (subjectId: bigint) => {
    const limited = all.filter((limit) => limit.subjectId === subjectId)
    const words = limited.map((limit) => limitTexts.limit(limit, user.languageCode))
    return words.join(', ') || t('limit-unlimited')
  }
  return t('limit-defaults', {
    everybody: of(EVERYBODY),
    users: of(ALL_USERS),
    groups: of(ALL_GROUPS),
  })
}

function orderOf({ period }: { period: LimitPeriod }): number {
  return Object.values(PERIODS).indexOf(period)
}
