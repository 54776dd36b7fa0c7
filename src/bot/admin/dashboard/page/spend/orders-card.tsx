import type { UserAnswer } from '../../api.ts'
import { TitledCard } from '../parts/titled-card.tsx'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { nameItem } from '../words/made.ts'
import { formatMoney } from '../words/money.ts'

/** The last clips, pictures and sounds of a user, and what each cost. */
export function OrdersCard(props: { orders: UserAnswer['lastOrders']; timeZone: string }) {
  const { user: text, oneOfKind, orderStates } = words.value
  const states: Record<string, string> = orderStates
  return (
    <TitledCard title={text.lastOrders} class="wide">
      {props.orders.length === 0 ? <p class="hint">{text.noOrders}</p> : null}
      <ul class="list">
        {props.orders.map(({ id, kind, item, made, status, amountMicroRub, createdAt }) => (
          <li key={id} class="list-item">
            <span class="list-main">
              <span class="list-title">
                {made === null ? (
                  <>
                    {oneOfKind[kind]} <span class="hint">{item}</span>
                  </>
                ) : (
                  nameItem(item, made)
                )}
              </span>
              <span class="hint small">
                {formatInstant(createdAt, props.timeZone)} · {states[status] ?? status}
              </span>
            </span>
            <span class="list-end num">
              {amountMicroRub === null || amountMicroRub === '0' ? (
                <span class="hint">{text.free}</span>
              ) : (
                formatMoney(amountMicroRub)
              )}
            </span>
          </li>
        ))}
      </ul>
    </TitledCard>
  )
}
