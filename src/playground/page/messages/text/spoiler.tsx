import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../../words/language.ts'

/** Covers a text until it is pressed. */
export function Spoiler({ children }: { children: ComponentChildren }) {
  const [isShown, setShown] = useState(false)
  if (isShown) return <span class="spoiler-shown">{children}</span>
  const show = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
    setShown(true)
  }
  return (
    // A button of HTML would not break over lines as the text does.
    // biome-ignore lint/a11y/useSemanticElements: see above.
    <span
      class="spoiler"
      role="button"
      tabIndex={0}
      aria-label={words.value.message.showSpoiler}
      onClick={show}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') show(event)
      }}
    >
      <span aria-hidden="true" inert>
        {children}
      </span>
    </span>
  )
}
