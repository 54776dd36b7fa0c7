/** Moves the keyboard from one message to the next by the arrows, Home and End. */
export function moveThroughMessages(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const { currentTarget: list, target, key } = event
  if (!(target instanceof HTMLElement) || !target.classList.contains('bubble')) return
  const bubbles = [...list.querySelectorAll<HTMLElement>('.bubble[tabindex]')]
  const at = bubbles.indexOf(target)
  const indexes: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    Home: 0,
    End: bubbles.length - 1,
  }
  const next = indexes[key]
  if (next === undefined || event.altKey) return
  event.preventDefault()
  bubbles[Math.max(0, next)]?.focus()
}
