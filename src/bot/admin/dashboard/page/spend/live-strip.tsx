import { live } from '../talk/live.ts'
import { words } from '../words/language.ts'
import { toMissing } from '../words/missing.ts'
import { formatMoney } from '../words/money.ts'

/** The figures of this moment. Their room is kept while none arrive, so that nothing jumps. */
export function LiveStrip() {
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
