/** So near to the end counts as at the end, in pixels. */
const NEAR_PX = 48

export interface ScrollKeeper {
  /** True while the last message is in sight, and the list follows what grows. */
  isAtEnd(): boolean
  toEnd(isSmooth: boolean): void
  /** Stays where it is while older messages are loaded on the way to one of them. */
  leaveEnd(): void
  stop(): void
}

interface Anchor {
  element: Element
  /** Below the upper edge of what is in sight. */
  top: number
}

/**
 * Keeps what is being read in sight while messages grow, arrive and are loaded above: at the end the end stays
 * in sight, elsewhere the first message in sight stays where it is. Browsers' own anchoring is off there (by
 * its style): it neither follows an end nor works at the very top.
 *
 * @param onMove Called after each scroll.
 */
export function keepScroll(
  scroller: HTMLElement,
  list: HTMLElement,
  onMove: () => void,
): ScrollKeeper {
  let atEnd = true
  let lastTop = 0
  let anchor: Anchor | undefined
  const observer = new ResizeObserver(settle)
  observer.observe(scroller)
  observer.observe(list)
  scroller.addEventListener('scroll', onScroll, { passive: true })
  return { isAtEnd: () => atEnd, toEnd, leaveEnd, stop }

  function stop(): void {
    observer.disconnect()
    scroller.removeEventListener('scroll', onScroll)
  }

  function leaveEnd(): void {
    anchor ??= findAnchor()
    atEnd = false
  }

  function toEnd(isSmooth: boolean): void {
    if (isSmooth) scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'smooth' })
    else {
      atEnd = true
      settle()
    }
  }

  /** Runs between layout and drawing: what it mends was never seen. */
  function settle(): void {
    if (atEnd) scroller.scrollTop = scroller.scrollHeight
    else if (anchor?.element.isConnected) {
      const moved = topOf(anchor.element) - anchor.top
      if (Math.abs(moved) >= 1) scroller.scrollTop += moved
    }
    lastTop = scroller.scrollTop
    onMove()
  }

  function onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = scroller
    const isNear = scrollHeight - scrollTop - clientHeight <= NEAR_PX
    // What grew since the last drawing has moved the end away: only who scrolls up leaves it.
    atEnd = isNear || (atEnd && scrollTop >= lastTop)
    lastTop = scrollTop
    anchor = atEnd ? undefined : findAnchor()
    onMove()
  }

  /** The first row that is in sight, by halving. */
  function findAnchor(): Anchor | undefined {
    const rows = list.children
    let low = 0
    let high = rows.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      const row = rows[middle]
      if (row !== undefined && topOf(row) + row.clientHeight > 0) high = middle
      else low = middle + 1
    }
    const element = rows[low]
    return element === undefined ? undefined : { element, top: topOf(element) }
  }

  function topOf(element: Element): number {
    return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top
  }
}
