/** How far a menu stays from the edges of the page, in pixels. */
const EDGE_PX = 8

/** Opens a menu where it was asked for, shifted as far as it needs to be whole, and goes into it. */
export function positionMenu(menu: HTMLElement, { x, y }: { x: number; y: number }): void {
  if (!menu.matches(':popover-open')) menu.showPopover()
  const { width, height } = menu.getBoundingClientRect()
  menu.style.left = `${clamp(x, innerWidth - width - EDGE_PX)}px`
  menu.style.top = `${clamp(y, innerHeight - height - EDGE_PX)}px`
  menu.querySelector<HTMLElement>('.menu-item')?.focus({ preventScroll: true })
}

/**
 * Goes from one item of a menu to another.
 *
 * @returns Whether the key is one that does.
 */
export function moveFocus(menu: HTMLElement, key: string): boolean {
  const items = [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const indexes: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowRight: at + 1,
    ArrowUp: at - 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: items.length - 1,
  }
  const next = indexes[key]
  if (next === undefined) return false
  items.at(next % items.length)?.focus()
  return true
}

function clamp(value: number, max: number): number {
  return Math.max(EDGE_PX, Math.min(value, max))
}
