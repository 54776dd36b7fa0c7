import { live } from '../talk/live.ts'
import { words } from '../words/language.ts'
import { formatMoney } from '../words/money.ts'

/** The figures of this moment. Their room is kept while none arrive, so that nothing jumps. */
export function LiveStrip() {
  const { live: title, now } = words.value
  const figures = live.value
  const balance = figures?.balanceMicroRub
  const amounts = [
    { label: now.today, amount: figures?.today.amountMicroRub },
    { label: now.reserved, amount: figures?.reservedMicroRub },
    { label: now.balance, amount: balance === null ? now.unknown : balance },
  ]
  return (
    <section class="live" aria-label={title} data-live={figures !== undefined}>
      <dl>
        {amounts.map(({ label, amount }) => (
          <div key={label}>
            <dt class="hint">{label}</dt>
            <dd class="num">{toShown(amount, now.unknown)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function toShown(amount: string | undefined, unknown: string): string {
  if (amount === undefined) return '…'
  return amount === unknown ? unknown : formatMoney(amount)
}
