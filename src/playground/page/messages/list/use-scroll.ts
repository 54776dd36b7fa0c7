import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { keepScroll, type ScrollKeeper } from './keep-scroll.ts'

interface ScrollRefs {
  scroller: RefObject<HTMLElement | null>
  list: RefObject<HTMLElement | null>
}

/**
 * Keeps what is read in sight, for as long as the list is shown.
 *
 * @param onMove Called after each scroll and growth, with how much is above what is in sight.
 */
export function useScroll({ scroller, list }: ScrollRefs, onMove: (above: number) => void) {
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
