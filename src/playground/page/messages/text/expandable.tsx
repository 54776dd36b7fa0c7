import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { words } from '../../words/language.ts'

/** Shows a few lines of what it holds, and the rest at a press. */
export function Expandable({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const [isLong, setLong] = useState(false)
  const lines = useRef<HTMLDivElement>(null)
  // Measured after each drawing: the text may be growing.
  useLayoutEffect(() => {
    const { current } = lines
    if (current !== null && !isOpen) setLong(current.scrollHeight > current.clientHeight + 1)
  })
  const { showLess, showMore } = words.value.message
  return (
    <>
      <div ref={lines} class={isOpen ? undefined : 'few-lines'}>
        {children}
      </div>
      {isLong ? (
        <button
          type="button"
          class="word-link small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? showLess : showMore}
        </button>
      ) : null}
    </>
  )
}
