import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** So near to the end counts as at the end, in pixels. */
const NEAR_PX = 48

const FLASH_MS = 1_600

interface ScrollKeeper {
  /** True while the last message is in sight, and the list follows what grows. */
  isAtEnd(): boolean
  toEnd(isSmooth: boolean): void
  /** Stops following the end, while older messages are loaded. */
  leaveEnd(): void
  stop(): void
}

interface Anchor {
  element: Element
  /** Below the upper edge of what is in sight. */
  top: number
}

/**
 * Keeps the reader's position while messages grow, arrive and are loaded above: at the end the end stays in sight,
 * elsewhere the first message in sight stays where it is. The browsers' own anchoring is switched off by style, since it
 * neither follows an end nor works at the very top.
 */
function keepScroll(scroller: HTMLElement, list: HTMLElement, onMove: () => void): ScrollKeeper {
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

  /** Runs between layout and drawing, so nothing jumps. */
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
    // A message that grew has moved the end away: only scrolling up leaves the end.
    atEnd = isNear || (atEnd && scrollTop >= lastTop)
    lastTop = scrollTop
    anchor = atEnd ? undefined : findAnchor()
    onMove()
  }

  /** Finds the first row in sight by bisection. */
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

/**
 * Keeps the reader's position while the list is shown.
 *
 * @param onMove Receives the height above the visible part, after each scroll and growth.
 */
export function useScroll(
  {
    scroller,
    list,
  }: { scroller: RefObject<HTMLElement | null>; list: RefObject<HTMLElement | null> },
  onMove: (above: number) => void,
) {
  const isAtEnd = useSignal(true)
  const keeper = useRef<ScrollKeeper | undefined>(undefined)
  const onMoveNow = useRef(onMove)
  onMoveNow.current = onMove
  useLayoutEffect(() => {
    const { current: window } = scroller
    if (window === null || list.current === null) return
    const kept = keepScroll(window, list.current, () => {
      isAtEnd.value = kept.isAtEnd()
      onMoveNow.current(window.scrollTop)
    })
    keeper.current = kept
    kept.toEnd(false)
    return kept.stop
  }, [scroller, list, isAtEnd])
  return {
    isAtEnd,
    toEnd: (isSmooth: boolean) => keeper.current?.toEnd(isSmooth),
    leaveEnd: () => keeper.current?.leaveEnd(),
  }
}

/** Scrolls to an element and marks it for a moment. A large element is shown from its beginning. */
export function showFlash(target: HTMLElement, block: ScrollLogicalPosition): void {
  const isLarge = target.clientHeight > innerHeight / 2
  target.scrollIntoView({ block: isLarge ? 'start' : block, behavior: 'smooth' })
  target.classList.add('flash')
  setTimeout(() => target.classList.remove('flash'), FLASH_MS)
}
