import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Numbered } from './bounded-list.ts'

/** Rows drawn above and below those that are seen, so that scrolling finds them there. */
const SPARE_ROWS = 8

/** Nearer than this to its end, a list is at its end. */
const NEAR_PX = 4

/**
 * Draws only the rows that are seen, each of one height: a flood costs no more than what fits the page. A reader who
 * is at the new end stays there; one who reads elsewhere keeps what they read.
 */
export function VirtualList<T extends Numbered>(props: {
  /** The items in the order of the page. */
  items: readonly T[]
  newEnd: 'top' | 'bottom'
  rowHeight: number
  label: string
  row: (item: T) => ComponentChildren
}) {
  const { items, newEnd, rowHeight, label, row } = props
  const box = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(0)
  /** The row at the upper edge and how much of it is above; undefined at the new end. */
  const anchor = useRef<{ seq: number; offset: number } | undefined>(undefined)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const index = items.findIndex(({ seq }) => seq === anchor.current?.seq)
    if (index !== -1) element.scrollTop = index * rowHeight + (anchor.current?.offset ?? 0)
    else if (anchor.current === undefined) {
      element.scrollTop = newEnd === 'top' ? 0 : items.length * rowHeight
    }
    top.value = element.scrollTop
  }, [items, newEnd])

  const first = Math.max(0, Math.floor(top.value / rowHeight) - SPARE_ROWS)
  const end = Math.ceil((top.value + height.value) / rowHeight) + SPARE_ROWS
  return (
    <div ref={box} class="rows" onScroll={({ currentTarget }) => follow(currentTarget)}>
      <ul class="rows-all" style={{ height: `${items.length * rowHeight}px` }} aria-label={label}>
        {items.slice(first, end).map((item, index) => (
          <li
            key={item.seq}
            class="rows-one"
            style={{
              height: `${rowHeight}px`,
              transform: `translateY(${(first + index) * rowHeight}px)`,
            }}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
          >
            {row(item)}
          </li>
        ))}
      </ul>
    </div>
  )

  function follow({ scrollTop, scrollHeight, clientHeight }: HTMLElement): void {
    top.value = scrollTop
    const left = newEnd === 'top' ? scrollTop : scrollHeight - scrollTop - clientHeight
    const item = items[Math.floor(scrollTop / rowHeight)]
    anchor.current =
      left <= NEAR_PX || item === undefined
        ? undefined
        : { seq: item.seq, offset: scrollTop % rowHeight }
  }
}
