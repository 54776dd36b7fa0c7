import type { WireLimit } from '../../api.ts'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { formatMoney, shareOf } from '../words/money.ts'
import { LimitRow } from './limit-row.tsx'

/** Lists what one user, or everybody together, may spend in each period and how much of it is gone, and lets it be changed. */
export function LimitList(props: {
  subjectId: number
  limits: readonly WireLimit[]
  canChange: boolean
  timeZone: string
}) {
  const { subjectId, limits, canChange, timeZone } = props
  const isLifted = limits.some((limit) => limit.isLifted)
  return (
    <>
      {isLifted ? <p class="note">{words.value.limits.lifted}</p> : null}
      <ul class="list limits">
        {limits.map((limit) => (
          <li key={limit.period}>
            <LimitRow
              subjectId={subjectId}
              period={limit.period}
              amountMicroRub={limit.amountMicroRub}
              origin={limit.origin}
              canChange={canChange}
            >
              <Spent limit={limit} timeZone={timeZone} />
            </LimitRow>
          </li>
        ))}
      </ul>
    </>
  )
}

function Spent({ limit, timeZone }: { limit: WireLimit; timeZone: string }) {
  const { limits } = words.value
  const { amountMicroRub, spentMicroRub, reservedMicroRub, resetsAt } = limit
  const spent = formatMoney(spentMicroRub)
  const sentences = [
    amountMicroRub === null
      ? limits.spentFree(spent)
      : limits.spent(spent, formatMoney(amountMicroRub)),
    reservedMicroRub === '0' ? undefined : limits.reserved(formatMoney(reservedMicroRub)),
    resetsAt === null || amountMicroRub === null
      ? undefined
      : limits.resets(formatInstant(resetsAt, timeZone)),
  ]
  return (
    <>
      {amountMicroRub === null ? null : (
        <Meter
          spent={partOf(spentMicroRub, amountMicroRub)}
          reserved={partOf(reservedMicroRub, amountMicroRub)}
        />
      )}
      <p class="hint small num">{sentences.filter((part) => part !== undefined).join(' · ')}</p>
    </>
  )
}

/** Returns the spent share, 0 to 1; a limit of nothing is spent whole. */
function partOf(part: string, amount: string): number {
  return amount === '0' ? 1 : shareOf(part, amount)
}

/** How much of a limit is spent, and lighter, what is under way. The words beside it say the same. */
function Meter({ spent, reserved }: { spent: number; reserved: number }) {
  const state = spent + reserved >= 1 ? 'is-full' : spent + reserved >= 0.8 ? 'is-near' : ''
  return (
    <div class={`meter ${state}`} aria-hidden="true">
      <span style={{ width: percent(spent) }} />
      <span class="meter-reserved" style={{ width: percent(Math.min(reserved, 1 - spent)) }} />
    </div>
  )
}

function percent(share: number): string {
  return `${(Math.max(0, share) * 100).toFixed(2)}%`
}
