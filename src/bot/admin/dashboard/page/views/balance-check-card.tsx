import type { CheckAnswer } from '../../api.ts'
import { Empty } from '../parts/empty.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { formatExactly } from '../words/money.ts'

/** How far the balance moved, what we charged, and each cause of the difference, to the last millionth. */
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
      {check.causes.length === 0 ? null : (
        <>
          <h3 class="hint">{text.causes}</h3>
          <dl class="totals exact">
            {check.causes.map(({ cause, amountMicroRub }) => (
              <Line key={cause} label={text.cause[cause]} amount={amountMicroRub} />
            ))}
          </dl>
        </>
      )}
      <Verdict check={check} />
    </TitledCard>
  )
}

/** Says in one sentence if all is right, and if it may yet change by itself. */
function Verdict({ check }: { check: NonNullable<CheckAnswer['balance']> }) {
  const { check: text } = words.value
  const isForeign = check.causes.some(({ cause }) => cause === 'not_ours')
  const isExact = check.differenceMicroRub === '0'
  return (
    <>
      <p class={`verdict ${isForeign ? 'bad' : 'good'}`}>
        {isExact ? text.exact : isForeign ? text.foreign : text.explained}
      </p>
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
