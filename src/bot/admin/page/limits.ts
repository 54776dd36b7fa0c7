/** The view of limits: for everyone together, defaults for users and groups, and own limits. */
import { LimitPeriod } from '../../../platform/database/generated/enums.ts'
import {
  ALL_GROUPS,
  ALL_USERS,
  EVERYBODY,
  type HeldLimit,
  type StoredLimit,
} from '../../spend/limits.ts'
import { findSubject } from '../../spend/users.ts'
import { readAmount, writeAmount } from '../settings.ts'
import { change, field, form, hidden, invalid, savedMark, saveRow } from './forms.ts'
import { type Html, html, type Part } from './html.ts'
import { bar, card, empty, frame, sectionName, shareOf } from './layout.ts'
import { subjectLink } from './users.ts'
import type { Problems, View, Visit } from './visit.ts'

const PERIODS = Object.values(LimitPeriod)
const FOR_MANY = [ALL_USERS, ALL_GROUPS, EVERYBODY]
const DEFAULTS = [ALL_USERS, ALL_GROUPS]

interface Row {
  subjectId: bigint
  period: LimitPeriod
  amountMicroRub: bigint | null
  /** Whether it is stored for this subject instead of taken from the default. */
  isOwn: boolean
  title?: Part
  about?: Part
}

export const limits: View = {
  async show(visit) {
    const stored = await visit.page.limits.list()
    const own = stored.filter(({ subjectId }) => !FOR_MANY.includes(subjectId))
    const everybody = await limitList(visit, EVERYBODY)
    return frame(visit, {
      title: sectionName(visit, 'limits'),
      back: 'more',
      content: html`<div class="cards">
        ${card(visit.t('page-everybody'), everybody, { hint: visit.t('page-everybody-hint') })}
        ${DEFAULTS.map((subjectId) => {
          const whose = subjectId === ALL_USERS ? 'users' : 'groups'
          const hint = visit.t('page-default-hint', { whose })
          const rows = defaultRows(visit, subjectId, stored)
          return card(visit.t('page-default', { whose }), rows, { hint })
        })}
        ${card(visit.t('page-own-limits'), await ownRows(visit, own))}
      </div>`,
    })
  },
  save: saveLimit,
}

/** Lists the limits of one user, or of everybody together, and how much of each is spent. */
export async function limitList(visit: Visit, subjectId: bigint): Promise<Html> {
  const held = await visit.page.limits.everyPeriodOf(subjectId)
  const rows = held.map((limit) => limitRow(visit, { ...limit, about: spentLine(visit, limit) }))
  return html`<ul class="list">${rows}</ul>`
}

export async function saveLimit(visit: Visit, fields: URLSearchParams): Promise<Problems> {
  const { page, visitor, language } = visit
  const id = fields.get('subject') ?? ''
  const forMany = FOR_MANY.find((one) => String(one) === id)
  const subject = forMany === undefined ? await findSubject(page.prisma, id) : { id: forMany }
  if (typeof subject === 'string') return { '': visit.t('page-no-user') }
  const period = PERIODS.find((one) => one === fields.get('period'))
  if (period === undefined) return invalid(visit)
  const isDefault = fields.has('default')
  const amountMicroRub = readAmount(fields.get('amount') ?? '', language)
  if (typeof amountMicroRub === 'string' && !isDefault) return { amount: visit.t(amountMicroRub) }
  const seen = fields.get('seen') || null
  const limit = { subjectId: subject.id, period, adminId: visitor.userId, seen }
  return change(visit, { field: 'amount', describe: (now) => storedText(visit, now) }, async () => {
    if (isDefault || typeof amountMicroRub === 'string') await page.limits.clear(limit)
    else await page.limits.set({ ...limit, amountMicroRub })
    return {}
  })
}

function storedText(visit: Visit, stored: string | null): string {
  if (stored === null) return visit.t('page-by-default')
  return amountText(visit, /^\d+$/.test(stored) ? BigInt(stored) : null)
}

function amountText(visit: Visit, amount: bigint | null): string {
  return amount === null ? visit.t('page-no-limit') : visit.money(amount)
}

function defaultRows(visit: Visit, subjectId: bigint, stored: readonly StoredLimit[]): Html {
  const rows = PERIODS.map((period) => {
    const found = stored.find((one) => one.subjectId === subjectId && one.period === period)
    const { amountMicroRub = null } = found ?? {}
    return limitRow(visit, { subjectId, period, amountMicroRub, isOwn: found !== undefined })
  })
  return html`<ul class="list">${rows}</ul>`
}

async function ownRows(visit: Visit, own: readonly StoredLimit[]): Promise<Html> {
  if (own.length === 0)
    return empty(visit.t('page-no-own-limits'), visit.t('page-no-own-limits-hint'))
  const where = { id: { in: own.map(({ subjectId }) => subjectId) } }
  const select = { id: true, firstName: true, username: true } as const
  const known = await visit.page.prisma.user.findMany({ where, select })
  const rows = own.map((limit) => {
    const { subjectId: id } = limit
    const user = known.find((one) => one.id === id) ?? { id, firstName: '', username: null }
    return limitRow(visit, { ...limit, isOwn: true, title: subjectLink(visit, user) })
  })
  return html`<ul class="list">${rows}</ul>`
}

/** One limit. "Change" unfolds its form, which stays open while it has a problem. */
function limitRow(visit: Visit, row: Row): Html {
  const { subjectId, period, amountMicroRub, isOwn } = row
  const isDefault = DEFAULTS.includes(subjectId)
  const name = `limit-${subjectId}-${period}`
  const periodName = visit.t('page-period', { period })
  const label = visit.t('page-change-limit', { period: periodName })
  // BUDGET_RUB is also stored, but is not an admin's own limit.
  const isStored = isOwn || (subjectId === EVERYBODY && amountMicroRub !== null)
  const seen = isStored ? (amountMicroRub ?? 'none') : ''
  const useDefault = html`<button type="submit" class="quiet" name="default" value="yes">${visit.t('page-use-default')}</button>`
  return html`<li class="limit row">
    <span class="grow">${row.title}<small>${periodName}</small>
      <strong>${amountText(visit, amountMicroRub)}</strong>
      ${!isOwn && amountMicroRub !== null && html`<mark>${visit.t('page-by-default')}</mark>`}
      ${savedMark(visit, name)}</span>
    ${
      visit.canChange &&
      html`<details class="edit" id="${name}-edit" ${visit.refused(name) && html`open`}>
        <summary aria-label="${label}" ${visit.isSaved(name) && html`data-focus`}>${visit.t('page-change')}</summary>
        ${form(visit, name, [
          hidden('subject', subjectId),
          hidden('period', period),
          hidden('seen', seen),
          field(visit, name, {
            name: 'amount',
            label: visit.t('page-limit-amount'),
            hint: visit.t('page-limit-amount-hint'),
            value: writeAmount(amountMicroRub, visit.language),
            mode: 'decimal',
          }),
          saveRow(visit, isOwn && !isDefault && useDefault),
        ])}
      </details>`
    }
    ${row.about && html`<small>${row.about}</small>`}
  </li>`
}

function spentLine(
  visit: Visit,
  { amountMicroRub: amount, spentMicroRub: spent, reservedMicroRub: reserved, resetsAt }: HeldLimit,
): Html {
  const money = visit.money(spent > 0n ? spent : 0n)
  const sentences = [
    amount === null
      ? visit.t('page-limit-spent-free', { spent: money })
      : visit.t('page-limit-spent', { spent: money, amount: visit.money(amount) }),
    reserved > 0n && visit.t('page-limit-reserved', { amount: visit.money(reserved) }),
    amount !== null &&
      resetsAt !== null &&
      visit.t('page-limit-resets', { at: visit.instant(resetsAt) }),
  ]
  const text = sentences.filter((part) => part !== false).join(' · ')
  if (amount === null) return html`${text}`
  // A limit of zero is fully spent.
  const share = amount === 0n ? 1 : shareOf(spent + reserved, amount)
  return html`${bar(share, share < 1 ? 'share' : 'full')}${text}`
}
