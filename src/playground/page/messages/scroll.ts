import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** So near to the end counts as at the end, in pixels. */
const NEAR_PX = 48

const FLASH_MS = 1_600

/**
 * Keeps the reader's position: at the end the end stays in sight while messages grow and arrive, elsewhere older
 * messages that are loaded above move nothing. The browsers' own anchoring is switched off by style, since it neither
 * follows an end nor works at the very top.
 *
 * @param firstKey Key of the first message; another one means that older messages were loaded.
 * @param onMove Receives the height above the visible part, after each scroll and growth.
 */
export function useScroll(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  firstKey: string | undefined,
  onMove: (above: number) => void,
) {
  const isAtEnd = useSignal(true)
  const last = useRef({ top: 0, height: 0 })
  const onMoveNow = useRef(onMove)
  onMoveNow.current = onMove

  useLayoutEffect(() => {
    const { current: window } = scroller
    if (window === null || list.current === null) return
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = window
      const isNear = scrollHeight - scrollTop - clientHeight <= NEAR_PX
      // A message that grew has moved the end away: only scrolling up leaves the end.
      isAtEnd.value = isNear || (isAtEnd.peek() && scrollTop >= last.current.top)
      last.current = { top: scrollTop, height: scrollHeight }
      onMoveNow.current(scrollTop)
    }
    // Runs between layout and drawing, so nothing jumps.
    const observer = new ResizeObserver(() => {
      if (isAtEnd.peek()) window.scrollTop = window.scrollHeight
      onScroll()
    })
    observer.observe(window)
    observer.observe(list.current)
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      window.removeEventListener('scroll', onScroll)
    }
  }, [])

  useLayoutEffect(() => {
    const { current: window } = scroller
    if (window === null || isAtEnd.peek()) return
    window.scrollTop += window.scrollHeight - last.current.height
  }, [firstKey])

  return { isAtEnd, toEnd }

  function toEnd(isSmooth: boolean): void {
    const { current: window } = scroller
    window?.scrollTo({ top: window.scrollHeight, behavior: isSmooth ? 'smooth' : 'instant' })
    if (!isSmooth) isAtEnd.value = true
  }
}

export function showFlash(target: HTMLElement, block: ScrollLogicalPosition): void {
  const isLarge = target.clientHeight > innerHeight / 2
  target.scrollIntoView({ block: isLarge ? 'start' : block, behavior: 'smooth' })
  target.classList.add('flash')
  setTimeout(() => target.classList.remove('flash'), FLASH_MS)
}
