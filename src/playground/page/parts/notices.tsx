import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { connection } from '../state/live.ts'
import { RequestError } from '../state/request.ts'
import { words } from '../words/language.ts'

interface Toast {
  id: number
  text: string
  isProblem: boolean
}

const toasts = signal<readonly Toast[]>([])

const TOASTS_MAX = 3
const FIRST_MS = 3_000
const MS_PER_CHARACTER = 50

let lastId = 0

export function toast(text: string, { isProblem = false } = {}): void {
  lastId += 1
  const id = lastId
  toasts.value = [...toasts.value, { id, text, isProblem }].slice(-TOASTS_MAX)
  setTimeout(() => dismiss(id), FIRST_MS + MS_PER_CHARACTER * text.length)
}

/**
 * Runs an action and shows a refusal.
 *
 * @returns Whether it succeeded.
 */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    toast(describeProblem(error), { isProblem: true })
    return false
  }
}

export function Toasts() {
  const box = useRef<HTMLDivElement>(null)
  const shown = toasts.value
  const isLost = connection.value === 'lost'
  useEffect(() => {
    if (box.current?.matches(':popover-open')) box.current.hidePopover()
    if (shown.length > 0 || isLost) box.current?.showPopover()
  }, [shown, isLost])
  return (
    <div ref={box} class="toasts" popover="manual" role="status" aria-live="polite">
      {isLost ? (
        <p class="toast row">
          <span class="spinner" aria-hidden="true" />
          {words.value.shell.lost}
        </p>
      ) : null}
      {shown.map(({ id, text, isProblem }) => (
        <p key={id} class={`toast row ${isProblem ? 'toast-problem' : ''}`}>
          <span>{text}</span>
          <button type="button" class="toast-close" onClick={() => dismiss(id)}>
            {words.value.close}
          </button>
        </p>
      ))}
    </div>
  )
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id)
}

function describeProblem(error: unknown): string {
  const { problems } = words.value.shell
  if (error instanceof RequestError) {
    if (error.status === 0) return problems.offline
    return error.detail === '' ? problems.refused(error.status) : error.detail
  }
  // A fault of the page itself: the console names the place.
  console.error(error)
  return problems.broken
}
