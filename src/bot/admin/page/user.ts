/** The view of one user: spending, limits, access and orders. */
import type { PastOrder } from '../../spend/reports.ts'
import { accessForms, saveAccess } from './access.ts'
import { type Html, html } from './html.ts'
import { card, frame, missing, sectionName, spanOf } from './layout.ts'
import { limitList, saveLimit } from './limits.ts'
import { choices, downloadForm, filterOf, itemName, spendCards } from './overview.ts'
import { handleOf, listItem, nameOf } from './users.ts'
import type { View, Visit } from './visit.ts'

const LAST_ORDERS = 20

export const user: View = {
  async show(visit) {
    const { reports } = visit.page
    const [, id = ''] = visit.path.split('/')
    const userId = /^-?\d{1,15}$/.test(id) ? Number(id) : undefined
    const found = userId === undefined ? undefined : await reports.user(userId)
    if (userId === undefined || found === undefined) return missing(visit, 'page-no-user')
    const filter = { ...filterOf(visit), userId }
    const [spent, limits, access, orders] = await Promise.all([
      reports.overview({ span: spanOf(visit), ...filter }),
      limitList(visit, BigInt(userId)),
      accessForms(visit, userId),
      reports.lastOrders(userId, LAST_ORDERS),
    ])
    return frame(visit, {
      title: nameOf(visit, found),
      subtitle: found.username === null ? `id ${userId}` : `${handleOf(found)} · id ${userId}`,
      back: 'users',
      action: downloadForm(visit, filter),
      content: html`${choices(visit, filter)}
        <div class="cards">
          ${spendCards(visit, spent)}
          ${card(sectionName(visit, 'limits'), limits)}
          ${card(visit.t('page-access-and-role'), access)}
          ${card(visit.t('spend-orders'), orderList(visit, orders), { wide: true })}
        </div>`,
    })
  },
  save(visit, fields) {
    const isLimit = fields.get('form')?.startsWith('limit')
    return isLimit ? saveLimit(visit, fields) : saveAccess(visit, fields)
  },
}

function orderList(visit: Visit, orders: readonly PastOrder[]): Html {
  if (orders.length === 0) return html`<p><small>${visit.t('page-no-orders')}</small></p>`
  const rows = orders.map(({ item, state, amountMicroRub, createdAt }) => {
    const about = `${visit.instant(createdAt)} · ${visit.t('page-order-state', { state })}`
    const end = amountMicroRub ? visit.money(amountMicroRub) : visit.t('page-not-charged')
    return listItem(itemName(visit, item), about, end)
  })
  return html`<ul class="list">${rows}</ul>`
}
