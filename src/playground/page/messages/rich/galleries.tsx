import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../parts/icons.tsx'
import { words } from '../../words/language.ts'

/** Media side by side. */
export function Collage({ children }: { children: ComponentChildren }) {
  return <div class="collage">{children}</div>
}

/** Media one after the other, turned by hand. */
export function Slideshow({ slides }: { slides: readonly ComponentChildren[] }) {
  const [index, setIndex] = useState(0)
  const { next, previous, slide } = words.value.message
  return (
    <div class="slideshow">
      {slides[Math.min(index, slides.length - 1)]}
      <div class="slideshow-turn">
        <button
          type="button"
          class="icon-button"
          aria-label={previous}
          disabled={index === 0}
          onClick={() => setIndex(index - 1)}
        >
          <Icon name="back" />
        </button>
        <span class="hint small num" aria-live="polite">
          {slide(Math.min(index + 1, slides.length), slides.length)}
        </span>
        <button
          type="button"
          class="icon-button"
          aria-label={next}
          disabled={index >= slides.length - 1}
          onClick={() => setIndex(index + 1)}
        >
          <Icon name="forward" />
        </button>
      </div>
    </div>
  )
}
