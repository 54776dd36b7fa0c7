import { useEffect, useRef } from 'preact/hooks'
import { words } from '../words/language.ts'
import { dismiss, toasts } from './notices.ts'

/** Sentences that show for a while, above everything: also above a dialog. */
export function Toasts() {
  const box = useRef<HTMLDivElement>(null)
  const shown = toasts.value
  useEffect(() => {
    if (!('popover' in HTMLElement.prototype)) return
    if (box.current?.matches(':popover-open')) box.current.hidePopover()
    if (shown.length > 0) box.current?.showPopover()
  }, [shown])
  return (
    <div ref={box} class="toasts" popover="manual" role="status" aria-live="polite">
      {shown.map(({ id, text, isProblem }) => (
        <p key={id} class={`toast ${isProblem ? 'toast-problem' : ''}`}>
          <span>{text}</span>
          <button type="button" class="toast-close" onClick={() => dismiss(id)}>
            {words.value.close}
          </button>
        </p>
      ))}
    </div>
  )
}
