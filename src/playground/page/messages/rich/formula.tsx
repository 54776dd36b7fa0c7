import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

type Katex = typeof import('katex').default

/** What draws formulas; undefined until the first one has asked for it. */
const katex = signal<Katex | undefined>(undefined)

let loading: Promise<void> | undefined

/** A formula. Its source shows until what draws it has come, and where it cannot be drawn. */
export function Formula({ expression, isBlock }: { expression: string; isBlock: boolean }) {
  const place = useRef<HTMLElement>(null)
  const drawer = katex.value
  useEffect(load, [])
  useLayoutEffect(() => {
    if (drawer !== undefined && place.current !== null) {
      draw(drawer, { expression, isBlock, place: place.current })
    }
  }, [drawer, expression, isBlock])
  const source = drawer === undefined ? expression : null
  return isBlock ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide formula is scrolled, also by keyboard.
    <div class="formula-block" tabIndex={0}>
      <span ref={place}>{source}</span>
    </div>
  ) : (
    <span class="formula" ref={place}>
      {source}
    </span>
  )
}

function load(): void {
  if (loading !== undefined) return
  loading = Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(
    ([{ default: loaded }]) => {
      katex.value = loaded
    },
    (error: unknown) => {
      // The sources stay, which can be read; the next formula asks again.
      console.warn('Cannot load what draws formulas', error)
      loading = undefined
    },
  )
}

interface Drawing {
  expression: string
  isBlock: boolean
  place: HTMLElement
}

function draw(drawer: Katex, { expression, isBlock, place }: Drawing): void {
  try {
    // An element, not a string of HTML: the page's policy lets no style attribute through.
    drawer.render(expression, place, { displayMode: isBlock, strict: 'ignore', maxSize: 20 })
    place.classList.remove('formula-source')
  } catch {
    // No formula, or half of one that is still being written.
    place.textContent = expression
    place.classList.add('formula-source')
  }
}
