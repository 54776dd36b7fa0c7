import { signal } from '@preact/signals'

/** A sentence that shows for a while. */
export interface Toast {
  id: number
  text: string
  isProblem: boolean
}

/** Those that show now, oldest first. */
export const toasts = signal<readonly Toast[]>([])

/** The text of an alert of the bot, which the person has to close. */
export const alertText = signal<string | undefined>(undefined)

const TOASTS_MAX = 3
const FIRST_MS = 3_000
const MS_PER_CHARACTER = 50

let lastId = 0

/** Shows a sentence for as long as it takes to read it. */
export function toast(text: string, { isProblem = false } = {}): void {
  lastId += 1
  const id = lastId
  toasts.value = [...toasts.value, { id, text, isProblem }].slice(-TOASTS_MAX)
  setTimeout(() => dismiss(id), FIRST_MS + MS_PER_CHARACTER * text.length)
}

/** Takes a sentence away before its time. */
export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id)
}
