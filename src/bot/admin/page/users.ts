/** The list of users, and the view of one user: spending, limits, access and orders. */
import type { PastOrder } from '../../spend/reports.ts'
import { accessForms, saveAccess } from './access.ts'
import { type Html, html } from './html.ts'
import {
  card,
  empty,
  frame,
  handleOf,
  missing,
  nameOf,
  PAGE_SIZE,
  pageOf,
  search,
  searchOf,
  sectionName,
  spanChoice,
  spanOf,
  userList,
} from './layout.ts'
import { limitList, saveLimit } from './limits.ts'
import {
  daysCard,
  downloadForm,
  itemName,
  kindAndModelCards,
  sumCard,
  userRow,
} from './overview.ts'
import { hrefOf, type View, type Visit } from './visit.ts'

const LAST_ORDERS = 20

/** Every user, who spent most first; found by a name, a username or an id. */
export const users: View = {
  async show(visit) {
    const page = { skip: pageOf(visit) * PAGE_SIZE, take: PAGE_SIZE }
    const asked = { span: spanOf(visit), search: searchOf(visit), ...page }
    const { users, total } = await visit.page.reports.users(asked)
    const rows = users.map((one) => userRow(visit, one, visit.money(one.spend.amountMicroRub)))
    const none = empty(visit.t('page-no-spenders'), visit.t('page-nothing-yet'))
    return frame(visit, {
      title: sectionName(visit, 'users'),
      content: html`<div class="toolbar">${search(visit)}${spanChoice(visit)}</div>
        ${userList(visit, { rows, total, none })}`,
    })
  },
}

/** All about one user. */
export const user: View = {
  async show(visit) {
    const { reports } = visit.page
    const userId = userIdOf(visit)
    const found = userId === undefined ? undefined : await reports.user(userId)
    if (userId === undefined || found === undefined) return missing(visit, 'page-no-user')
    const span = spanOf(visit)
    const [spent, limits, access, orders] = await Promise.all([
      reports.overview({ span, userId }),
      limitList(visit, BigInt(userId)),
      accessForms(visit, userId),
      reports.lastOrders(userId, LAST_ORDERS),
    ])
    const isNamed = found.username !== null
    return frame(visit, {
      title: nameOf(visit, found),
      subtitle: isNamed ? `${handleOf(found)} · id ${userId}` : `id ${userId}`,
      back: 'users',
      action: downloadForm(visit, { userId }),
      content: html`
        <div class="toolbar">${spanChoice(visit)}
          <a role="button" class="quiet" href="${hrefOf('overview', { span, user: userId })}">${visit.t('page-in-overview')}</a>
        </div>
        <div class="grid">
          ${sumCard(visit, spent.sum)}
          ${spent.sum.charges > 0 && [daysCard(visit, spent), kindAndModelCards(visit, spent, { canPick: false })]}
          ${card(sectionName(visit, 'limits'), { content: limits })}
          ${card(visit.t('page-access-and-role'), { content: access })}
          ${card(visit.t('spend-orders'), { wide: true, content: orderList(visit, orders) })}
        </div>`,
    })
  },
  async save(visit, fields) {
    const isLimit = fields.get('form')?.startsWith('limit')
    return isLimit ? saveLimit(visit, fields) : saveAccess(visit, fields)
  },
}

function userIdOf({ path }: Visit): number | undefined {
  const [, id = ''] = path.split('/')
  return /^-?\d{1,15}$/.test(id) ? Number(id) : undefined
}

/** The last videos, images and sounds of a user, with their costs. */
function orderList(visit: Visit, orders: readonly PastOrder[]): Html {
  if (orders.length === 0) return html`<p class="hint">${visit.t('page-no-orders')}</p>`
  const rows = orders.map(({ item, state, amountMicroRub, createdAt }) => {
    const about = `${visit.instant(createdAt)} · ${visit.t('page-order-state', { state })}`
    const isFree = amountMicroRub === null || amountMicroRub === 0n
    const amount = isFree ? visit.t('page-not-charged') : visit.money(amountMicroRub)
    return html`<li class="item">
      <span class="grow"><span class="name">${itemName(visit, item)}</span><span class="hint">${about}</span></span>
      <span class="${isFree ? 'hint' : 'num'}">${amount}</span></li>`
  })
  return html`<ul class="list">${rows}</ul>`
}
