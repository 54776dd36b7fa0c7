import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ChargeKind, OverviewAnswer, ReportSpan } from '../../api.ts'
import { Empty } from '../parts/empty.tsx'
import { Reading } from '../parts/reading.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { hrefOf, replaceRoute, route } from '../route.ts'
import { View } from '../shell/view.tsx'
import { DaysCard } from '../spend/days-card.tsx'
import { DownloadButton } from '../spend/download-button.tsx'
import { type Filter, isNarrowed, readFilter, toDownloadBody } from '../spend/filter.ts'
import { Filters } from '../spend/filters.tsx'
import { PartsCard } from '../spend/parts-card.tsx'
import { readSpan, SpanChoice } from '../spend/span.tsx'
import { SumCard } from '../spend/sum-card.tsx'
import { UserRow } from '../spend/user-row.tsx'
import { live } from '../talk/live.ts'
import { type Read, useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'
import { nameItem } from '../words/made.ts'
import { toMissing } from '../words/missing.ts'
import { formatMoney, formatParts } from '../words/money.ts'

/** While somebody spends, the sums are read again this often at most. */
const FOLLOW_MS = 5_000

/** Shows what was spent: the sum, by day, kind, model and user, as narrowed as the reader likes. */
export function OverviewView() {
  const { query } = route.value
  const span = readSpan(query)
  const filter = readFilter(query)
  const search = hrefOf(['overview'], { span, ...filter }).slice(1)
  const read = useRead<OverviewAnswer>(search)
  useFollowLive(read)
  const choices = useChoices(read.data, filter)
  const { sections } = words.value
  const show = (change: Partial<Filter & { span: ReportSpan }>) => {
    replaceRoute(hrefOf([], { span, ...filter, ...change }))
  }
  return (
    <View
      title={sections.spend}
      action={<DownloadButton request={{ span, ...toDownloadBody(filter) }} />}
    >
      <LiveStrip />
      <div class="toolbar">
        <SpanChoice span={span} onChange={(chosen) => show({ span: chosen })} />
        <Filters filter={filter} choices={choices} onChange={show} />
      </div>
      <Reading read={read} lines={12}>
        {(overview) => (
          <div class="grid" aria-busy={read.isReading}>
            <SumCard title={words.value.spend.total[span]} spend={overview.sum} />
            {overview.sum.charges === 0 ? (
              <NothingSpent isFiltered={isNarrowed(filter)} />
            ) : (
              <Parts overview={overview} span={span} onPick={show} />
            )}
          </div>
        )}
      </Reading>
    </View>
  )
}

function Parts(props: {
  overview: OverviewAnswer
  span: ReportSpan
  onPick: (change: Partial<Filter>) => void
}) {
  const { overview, span, onPick } = props
  const { spend, kinds } = words.value
  const byKind = overview.byKind.map((part) => {
    return { key: part.kind, label: kinds[part.kind], amountMicroRub: part.spend.amountMicroRub }
  })
  const byModel = overview.byModel.map((part) => {
    const label = nameItem(part.model, part.made)
    return { key: part.model, label, amountMicroRub: part.spend.amountMicroRub }
  })
  const sumMicroRub = overview.sum.amountMicroRub
  return (
    <>
      {overview.byDay.length > 1 ? <DaysCard overview={overview} /> : null}
      <PartsCard
        title={spend.byKind}
        parts={byKind}
        sumMicroRub={sumMicroRub}
        onPick={(kind) => onPick({ kind: kind as ChargeKind })}
      />
      <PartsCard
        title={spend.byModel}
        parts={byModel}
        sumMicroRub={sumMicroRub}
        onPick={(model) => onPick({ model })}
      />
      <TopUsersCard overview={overview} span={span} />
    </>
  )
}

function NothingSpent({ isFiltered }: { isFiltered: boolean }) {
  const { nothing, nothingFound, nothingYet } = words.value.spend
  return (
    <div class="card wide">
      <Empty title={nothing} hint={isFiltered ? nothingFound : nothingYet} />
    </div>
  )
}

/** Reads the sums again when what was spent today changed. */
function useFollowLive(read: Read<OverviewAnswer>): void {
  const spentToday = live.value?.today.amountMicroRub
  const [shown, setShown] = useState(spentToday)
  // Only the figure that moved asks for another reading.
  useEffect(() => {
    if (spentToday === undefined || spentToday === shown) return
    const timer = setTimeout(
      () => {
        setShown(spentToday)
        if (shown !== undefined) read.readAgain()
      },
      shown === undefined ? 0 : FOLLOW_MS,
    )
    return () => clearTimeout(timer)
  }, [spentToday === shown])
}

/** Lists what a filter can choose: what was last read without that filter, and the chosen one in any case. */
function useChoices(overview: OverviewAnswer | undefined, filter: Filter) {
  const [kinds, setKinds] = useState<ChargeKind[]>([])
  const [models, setModels] = useState<OverviewAnswer['byModel']>([])
  const [users, setUsers] = useState<OverviewAnswer['topUsers'][number]['user'][]>([])
  useEffect(() => {
    if (overview === undefined) return
    if (filter.kind === undefined) setKinds(overview.byKind.map(({ kind }) => kind))
    if (filter.model === undefined || models.length === 0) setModels(overview.byModel)
    if (filter.user === undefined || users.length === 0) {
      setUsers(overview.topUsers.map(({ user }) => user))
    }
  }, [overview, filter.kind, filter.model, filter.user, models.length, users.length])
  return useMemo(() => ({ kinds, models, users }), [kinds, models, users])
}

/** The figures of this moment. Their room is kept while none arrive, so that nothing jumps. */
function LiveStrip() {
  const { live: title, now } = words.value
  const figures = live.value
  const { leftOf = 'account', balanceMicroRub: balance } = figures ?? {}
  const amounts = [
    { label: now.today, amount: figures?.today.amountMicroRub },
    { label: now.reserved, amount: figures?.reservedMicroRub },
    { label: now.leftOf[leftOf], amount: balance === null ? toMissing(leftOf, now) : balance },
  ]
  return (
    <section class="live" aria-label={title} data-live={figures !== undefined}>
      <dl>
        {amounts.map(({ label, amount }) => (
          <div key={label}>
            <dt class="hint">{label}</dt>
            <dd class="num">{toShown(amount)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function toShown(amount: string | undefined): string {
  if (amount === undefined) return '…'
  return /^-?\d+$/.test(amount) ? formatMoney(amount) : amount
}

/** Lists the users who spent most, all others together, and their sum; the figures as shown add up. */
function TopUsersCard({ overview, span }: { overview: OverviewAnswer; span: ReportSpan }) {
  const { spend } = words.value
  const { topUsers, rest, sum } = overview
  const amounts = topUsers.map((user) => user.spend.amountMicroRub)
  const shown = formatParts(rest === null ? amounts : [...amounts, rest.spend.amountMicroRub])
  return (
    <TitledCard title={spend.topUsers} class="wide">
      <ol class="list">
        {topUsers.map(({ user, spend: spent }, index) => (
          <li key={user.id}>
            <UserRow user={user} span={span} charges={spent.charges} amount={shown[index] ?? ''} />
          </li>
        ))}
      </ol>
      <dl class="totals">
        {rest === null ? null : (
          <div>
            <dt>{spend.rest(rest.users)}</dt>
            <dd class="num">{shown.at(-1)}</dd>
          </div>
        )}
        <div class="total">
          <dt>{spend.sum}</dt>
          <dd class="num">{formatMoney(sum.amountMicroRub)}</dd>
        </div>
      </dl>
    </TitledCard>
  )
}
