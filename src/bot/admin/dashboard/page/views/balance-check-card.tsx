import type { CheckAnswer } from '../../api.ts'
import { Empty } from '../parts/empty.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { formatExactly } from '../words/money.ts'

/** How far the balance moved, what we charged, and the difference, to the last millionth. */
export function BalanceCheckCard(props: {
  check: CheckAnswer['balance']
  timeZone: string
  isReading: boolean
}) {
  const { check, timeZone, isReading } = props
  const { check: text } = words.value
  if (check === null) {
    return (
      <TitledCard title={text.title} isReading={isReading}>
        <Empty title={text.noReadings} hint={text.noReadingsHint} />
      </TitledCard>
    )
  }
  const between = text.between(
    formatInstant(check.from, timeZone),
    formatInstant(check.to, timeZone),
  )
  const isExact = check.differenceMicroRub === '0'
  return (
    <TitledCard title={text.title} hint={between} isReading={isReading}>
      <dl class="totals exact">
        <Line label={text.moved} amount={check.movedMicroRub} />
        <Line label={text.charged} amount={check.chargedMicroRub} />
        <div class="total">
          <dt>{text.difference}</dt>
          <dd class={`num ${isExact ? 'good' : ''}`}>{formatExactly(check.differenceMicroRub)}</dd>
        </div>
      </dl>
      <Verdict check={check} />
    </TitledCard>
  )
}

/** Says in one sentence if all is right, and if it may yet change by itself. */
function Verdict({ check }: { check: NonNullable<CheckAnswer['balance']> }) {
  const { check: text } = words.value
  const isExact = check.differenceMicroRub === '0'
  return (
    <>
      <p class={`verdict ${isExact ? 'good' : ''}`}>{isExact ? text.exact : text.differs}</p>
      {check.mayEvenOut ? <p class="hint">{text.unsettled}</p> : null}
    </>
  )
}

function Line({ label, amount }: { label: string; amount: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="num">{formatExactly(amount)}</dd>
    </div>
  )
}
