import type { BalanceAnswer, CheckAnswer } from '../../api.ts'
import { Reading } from '../parts/reading.tsx'
import { Scroll } from '../parts/scroll.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'
import { toMissing } from '../words/missing.ts'
import { formatExactly, formatMoney } from '../words/money.ts'
import { BalanceCheckCard } from './balance-check-card.tsx'

const YEAR_DAYS = 365

/** Shows what the service's account holds, and whether our charges and sums agree with it. */
export function CheckView({ timeZone }: { timeZone: string }) {
  const balance = useRead<BalanceAnswer>('/balance')
  const check = useRead<CheckAnswer>('/check')
  const { check: text, sections } = words.value
  return (
    <View
      title={sections.check}
      action={
        <button type="button" class="button" aria-busy={check.isReading} onClick={check.readAgain}>
          {text.again}
        </button>
      }
    >
      <div class="grid">
        <section class="card wide" aria-label={text.balance} aria-busy={balance.isReading}>
          <Reading read={balance} lines={2}>
            {(read) => <BalanceFigures balance={read} />}
          </Reading>
        </section>
        <Reading read={check} lines={8}>
          {(read) => (
            <>
              <BalanceCheckCard
                check={read.balance}
                timeZone={timeZone}
                isReading={check.isReading}
              />
              <SumsCheckCard sums={read.sums} isReading={check.isReading} />
            </>
          )}
        </Reading>
      </div>
    </View>
  )
}

function BalanceFigures({ balance }: { balance: BalanceAnswer }) {
  const { check: text, now } = words.value
  const { leftOf, balanceMicroRub, dayPaceMicroRub, daysLeft } = balance
  const figures = [
    {
      label: now.leftOf[leftOf],
      shown: balanceMicroRub === null ? toMissing(leftOf, now) : formatMoney(balanceMicroRub),
    },
    {
      label: text.pace,
      shown: dayPaceMicroRub === null ? now.unknown : formatMoney(dayPaceMicroRub),
    },
    { label: text.daysLeft, shown: describeDays() },
  ]
  return (
    <dl class="figures">
      {figures.map(({ label, shown }) => (
        <div key={label}>
          <dt class="hint">{label}</dt>
          <dd class="num">{shown}</dd>
        </div>
      ))}
    </dl>
  )

  function describeDays(): string {
    if (balanceMicroRub === null) return toMissing(leftOf, now)
    if (daysLeft === null) return text.forEver
    return daysLeft > YEAR_DAYS ? text.overYear : text.days(Math.floor(daysLeft))
  }
}

/** Shows if the kept sums are what their charges add up to, and lists those that are not. */
function SumsCheckCard({ sums, isReading }: { sums: CheckAnswer['sums']; isReading: boolean }) {
  const { check: text } = words.value
  return (
    <TitledCard title={text.sums} isReading={isReading}>
      <p class={`verdict ${sums.isRight ? 'good' : 'bad'}`}>
        {sums.isRight ? text.sumsRight : text.sumsWrong}
      </p>
      {sums.isRight ? null : (
        <>
          <Scroll label={text.sums}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{text.what}</th>
                  <th scope="col" class="num">
                    {text.ofSums}
                  </th>
                  <th scope="col" class="num">
                    {text.ofRows}
                  </th>
                </tr>
              </thead>
              <tbody>
                {sums.differences.map(({ what, ofSums, ofRows }) => (
                  <tr key={what}>
                    <th scope="row">{what}</th>
                    <td class="num">{formatExactly(ofSums)}</td>
                    <td class="num">{formatExactly(ofRows)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          <p class="hint">
            {text.sumsHint} <code>{sums.rebuildCommand}</code>
          </p>
        </>
      )}
    </TitledCard>
  )
}
