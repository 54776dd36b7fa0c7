import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { keepPlace, type PlaceKeeper } from './keep-place.ts'

interface PlaceRefs {
  scroller: RefObject<HTMLElement | null>
  list: RefObject<HTMLElement | null>
}

/**
 * Keeps what is read in its place, for as long as the list is shown.
 *
 * @param onMove Told after each scroll and growth, with how much is above what is in sight.
 */
export function usePlace({ scroller, list }: PlaceRefs, onMove: (above: number) => void) {
  const isAtEnd = useSignal(true)
  const keeper = useRef<PlaceKeeper | undefined>(undefined)
  const tell = useRef(onMove)
  tell.current = onMove
  useLayoutEffect(() => {
    const { current: window } = scroller
    if (window === null || list.current === null) return
    const kept = keepPlace(window, list.current, () => {
      isAtEnd.value = kept.isAtEnd()
      tell.current(window.scrollTop)
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
