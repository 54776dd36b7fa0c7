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
import { nameOf } from './users.ts'
import { hrefOf, type Problems, type View, type Visit } from './visit.ts'

const PERIODS = Object.values(LimitPeriod)
const FOR_MANY = [ALL_USERS, ALL_GROUPS, EVERYBODY]
const DEFAULTS = [ALL_USERS, ALL_GROUPS]
const NEAR = 0.8
const NEW_LIMIT = 'limit'

/** The form's word for a limit that is not stored; `none` is stored if there is explicitly no limit. */
const NOT_STORED = ''

interface Row {
  subjectId: bigint
  period: LimitPeriod
  amountMicroRub: bigint | null
  /** Whether it is stored for this subject, not taken from the default. */
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
        ${visit.canChange && card(visit.t('page-set-limit'), newLimit(visit))}
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

/** Sets a limit, or takes it away. */
export async function saveLimit(visit: Visit, fields: URLSearchParams): Promise<Problems> {
  const { page, visitor, language } = visit
  const isNew = fields.get('form') === NEW_LIMIT
  const period = PERIODS.find((one) => one === fields.get('period'))
  const typed = (fields.get('subject') ?? '').trim().replace('−', '-')
  const forMany = isNew ? undefined : FOR_MANY.find((id) => String(id) === typed)
  const subject = forMany === undefined ? await findSubject(page.prisma, typed) : { id: forMany }
  if (typeof subject === 'string' || (isNew && FOR_MANY.includes(subject.id))) {
    return { subject: visit.t(`page-subject-${subject === 'ambiguous' ? subject : 'unknown'}`) }
  }
  if (period === undefined) return invalid(visit)
  const isDefault = fields.has('default')
  const amountMicroRub = readAmount(fields.get('amount') ?? '', language)
  if (typeof amountMicroRub === 'string' && !isDefault) return { amount: visit.t(amountMicroRub) }
  const shown = fields.get('seen') ?? NOT_STORED
  const seen = isNew ? undefined : shown === NOT_STORED ? null : shown
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
  const ids = own.flatMap(({ subjectId, setById }) => [subjectId, setById])
  const select = { id: true, firstName: true, username: true } as const
  const known = await visit.page.prisma.user.findMany({ where: { id: { in: ids } }, select })
  const nameById = (id: bigint) =>
    nameOf(visit, known.find((user) => user.id === id) ?? { id, firstName: '', username: null })
  const rows = own.map(({ setById, setAt, ...limit }) => {
    const name = nameById(limit.subjectId)
    const title =
      limit.subjectId > 0
        ? html`<a href="${hrefOf(`users/${limit.subjectId}`)}">${name}</a>`
        : html`<span>${name}</span>`
    const about = `${nameById(setById)}, ${visit.instant(setAt)}`
    return limitRow(visit, { ...limit, isOwn: true, title, about })
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
  // BUDGET_RUB is stored, too, but is no admin's own limit.
  const isStored = isOwn || (subjectId === EVERYBODY && amountMicroRub !== null)
  const seen = isStored ? (amountMicroRub ?? 'none') : NOT_STORED
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
          amountField(visit, name, writeAmount(amountMicroRub, visit.language)),
          saveRow(visit, isOwn && !isDefault && useDefault),
        ])}
      </details>`
    }
    ${row.about && html`<small>${row.about}</small>`}
  </li>`
}

/** A form for a user or a group whose id an admin has. */
function newLimit(visit: Visit): Html {
  const periods = PERIODS.map((period) => [period, visit.t('page-period', { period })] as const)
  return form(visit, NEW_LIMIT, [
    field(visit, NEW_LIMIT, {
      name: 'subject',
      label: visit.t('page-subject'),
      hint: visit.t('page-subject-hint'),
      value: '',
    }),
    field(visit, NEW_LIMIT, {
      name: 'period',
      label: visit.t('page-period-label'),
      value: 'month',
      options: periods,
    }),
    amountField(visit, NEW_LIMIT, ''),
    saveRow(visit, savedMark(visit, NEW_LIMIT)),
  ])
}

function amountField(visit: Visit, form: string, value: string): Html {
  return field(visit, form, {
    name: 'amount',
    label: visit.t('page-limit-amount'),
    hint: visit.t('page-limit-amount-hint'),
    value,
    mode: 'decimal',
  })
}

/** A bar and a sentence on how much of a limit is spent and in progress. */
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
  // A limit of nothing is spent whole.
  const share = amount === 0n ? 1 : shareOf(spent + reserved, amount)
  const state = share >= 1 ? 'full' : share >= NEAR ? 'near' : 'main'
  return html`${bar(share, state)}${text}`
}
