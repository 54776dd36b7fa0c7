import type { UserAnswer } from '../../api.ts'
import { LimitList } from '../limits/limit-list.tsx'
import { Reading } from '../parts/reading.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { handleOf, nameOf } from '../parts/user-label.tsx'
import { hrefOf, replaceRoute, route } from '../route.ts'
import { View } from '../shell/view.tsx'
import { DaysCard } from '../spend/days-card.tsx'
import { DownloadButton } from '../spend/download-button.tsx'
import { PartsCard } from '../spend/parts-card.tsx'
import { readSpan, SpanChoice } from '../spend/span.tsx'
import { SumCard } from '../spend/sum-card.tsx'
import { useRead } from '../talk/use-read.ts'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { nameItem } from '../words/made.ts'
import { formatMoney } from '../words/money.ts'
import { AccessForm } from './access-form.tsx'

/** One user: what they spent, on what, their limits, their access. */
export function UserView(props: { id: string; canChange: boolean; timeZone: string }) {
  const { id, canChange, timeZone } = props
  const span = readSpan(route.value.query)
  const read = useRead<UserAnswer>(hrefOf(['users', id], { span }).slice(1))
  const { sections } = words.value
  const user = read.data?.user
  return (
    <View
      title={user === undefined ? sections.users : nameOf(user)}
      subtitle={user === undefined ? `${words.value.id} ${id}` : subtitleOf(user)}
      hasBack
      action={<DownloadButton request={{ span, user: Number(id) }} />}
    >
      <div class="toolbar">
        <SpanChoice
          span={span}
          onChange={(chosen) => replaceRoute(hrefOf(['users', id], { span: chosen }))}
        />
        <a class="button" href={hrefOf([], { span, user: id })}>
          {words.value.user.inOverview}
        </a>
      </div>
      <Reading read={read} lines={12}>
        {(page) => (
          <div class="grid" aria-busy={read.isReading}>
            <SumCard title={words.value.spend.total[span]} spend={page.sum} />
            <Spent page={page} />
            <TitledCard title={words.value.user.limits}>
              <LimitList
                subjectId={page.user.id}
                limits={page.limits}
                canChange={canChange}
                timeZone={timeZone}
              />
            </TitledCard>
            <TitledCard title={words.value.user.access}>
              <AccessForm user={page.user} access={page.access} canChange={canChange} />
            </TitledCard>
            <OrdersCard orders={page.lastOrders} timeZone={timeZone} />
          </div>
        )}
      </Reading>
    </View>
  )
}

function Spent({ page }: { page: UserAnswer }) {
  const { spend, kinds } = words.value
  const sumMicroRub = page.sum.amountMicroRub
  if (page.sum.charges === 0) return null
  const byKind = page.byKind.map((part) => {
    return { key: part.kind, label: kinds[part.kind], amountMicroRub: part.spend.amountMicroRub }
  })
  const byModel = page.byModel.map((part) => {
    const label = nameItem(part.model, part.made)
    return { key: part.model, label, amountMicroRub: part.spend.amountMicroRub }
  })
  return (
    <>
      {page.byDay.length > 1 ? <DaysCard overview={page} /> : null}
      <PartsCard title={spend.byKind} parts={byKind} sumMicroRub={sumMicroRub} />
      <PartsCard title={spend.byModel} parts={byModel} sumMicroRub={sumMicroRub} />
    </>
  )
}

function subtitleOf(user: UserAnswer['user']): string {
  const id = `${words.value.id} ${user.id}`
  return user.username === null ? id : `${handleOf(user)} · ${id}`
}

/** The last clips, pictures and sounds of a user, and what each cost. */
function OrdersCard(props: { orders: UserAnswer['lastOrders']; timeZone: string }) {
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
