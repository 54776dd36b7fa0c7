import type { MicroRub } from '../../api.ts'
import { TitledCard } from '../parts/titled-card.tsx'
import { formatShare } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { formatParts, shareOf } from '../words/money.ts'

interface SumPart {
  key: string
  label: string
  amountMicroRub: MicroRub
}

/** Lists the parts of a sum with their shares; as shown they add up to it. With `onPick` a part is a button. */
export function PartsCard(props: {
  title: string
  parts: readonly SumPart[]
  sumMicroRub: MicroRub
  onPick?: (key: string) => void
}) {
  const { title, parts, sumMicroRub, onPick } = props
  const shown = formatParts(parts.map((part) => part.amountMicroRub))
  return (
    <TitledCard title={title}>
      <ul class="parts">
        {parts.map((part, index) => {
          const share = shareOf(part.amountMicroRub, sumMicroRub)
          const content = (
            <>
              <span class="part-label">{part.label}</span>
              <span class="hint num part-share">{formatShare(share)}</span>
              <span class="num">{shown[index]}</span>
              <span class="part-bar" aria-hidden="true">
                <span style={{ width: `${(share * 100).toFixed(2)}%` }} />
              </span>
            </>
          )
          return (
            <li key={part.key}>
              {onPick === undefined ? (
                <div class="part">{content}</div>
              ) : (
                <button
                  type="button"
                  class="part"
                  title={words.value.spend.only(part.label)}
                  onClick={() => onPick(part.key)}
                >
                  {content}
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </TitledCard>
  )
}
