import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { LimitPeriod, WireLimit } from '../../api.ts'
import { words } from '../words/language.ts'
import { formatMoney } from '../words/money.ts'
import { isDefault } from './defaults.ts'
import { LimitForm } from './limit-form.tsx'

/** One limit; its button turns the row into a form, and gets the focus back after that. */
export function LimitRow(props: {
  subjectId: number
  title?: ComponentChildren
  period: LimitPeriod
  amountMicroRub: string | null
  origin: WireLimit['origin']
  canChange: boolean
  children?: ComponentChildren
}) {
  const { subjectId, period, amountMicroRub, origin, canChange } = props
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const { edit, limits, periods } = words.value
  const close = () => {
    setIsOpen(false)
    // The button is there again only after the next drawing.
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <div class="limit">
      <div class="limit-line">
        <span class="list-main">
          {props.title ?? <span class="hint">{periods[period]}</span>}
          <span class="limit-amount num">
            {amountMicroRub === null ? limits.noLimit : formatMoney(amountMicroRub)}
            {origin === 'default' && !isDefault(subjectId) ? (
              <span class="tag">{limits.byDefault}</span>
            ) : null}
          </span>
        </span>
        {canChange && !isOpen ? (
          <button
            ref={button}
            type="button"
            class="button"
            aria-label={limits.change(periods[period])}
            onClick={() => setIsOpen(true)}
          >
            {edit}
          </button>
        ) : null}
      </div>
      {props.children}
      {isOpen ? (
        <LimitForm
          subjectId={subjectId}
          period={period}
          amountMicroRub={amountMicroRub}
          origin={origin}
          onClose={close}
        />
      ) : null}
    </div>
  )
}
