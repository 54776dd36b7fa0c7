import type { WireSpend } from '../../api.ts'
import { formatShare } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { formatMoney, shareOf } from '../words/money.ts'

/** The sum of what is shown, and how much of it is what. */
export function SumCard({ title, spend }: { title: string; spend: WireSpend }) {
  const text = words.value.spend
  const { amountMicroRub, charges } = spend
  const ofSum = (part: string) => text.ofSum(formatShare(shareOf(part, amountMicroRub)))
  const average = charges === 0 ? undefined : BigInt(amountMicroRub) / BigInt(charges)
  const parts = [
    { label: text.history, amount: spend.historyMicroRub, note: ofSum(spend.historyMicroRub) },
    {
      label: text.estimated,
      amount: spend.estimatedMicroRub,
      note: ofSum(spend.estimatedMicroRub),
    },
    { label: text.writtenOff, amount: spend.writtenOffMicroRub, note: text.notInSum },
  ]
  return (
    <section class="card wide sum" aria-label={title}>
      <div>
        <h2 class="hint">{title}</h2>
        <p class="sum-amount num">{formatMoney(amountMicroRub)}</p>
        <p class="hint num">
          {text.charges(charges)}
          {average === undefined ? '' : `, ${text.perCharge(formatMoney(average))}`}
        </p>
      </div>
      <dl class="sum-parts">
        {parts.map(({ label, amount, note }) => (
          <div key={label}>
            <dt class="hint">{label}</dt>
            <dd class="num">{formatMoney(amount)}</dd>
            <dd class="hint small">{note}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
