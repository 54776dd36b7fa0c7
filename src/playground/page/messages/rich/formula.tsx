import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

type Katex = typeof import('katex').default

/** The library that draws formulas; undefined until the first formula has asked for it. */
const katex = signal<Katex | undefined>(undefined)

let loading: Promise<void> | undefined

/** A formula. Its source shows until what draws it has come, and where it cannot be drawn. */
export function Formula({ expression, isBlock }: { expression: string; isBlock: boolean }) {
  const host = useRef<HTMLElement>(null)
  const drawer = katex.value
  useEffect(load, [])
  useLayoutEffect(() => {
    if (drawer !== undefined && host.current !== null) {
      draw(drawer, { expression, isBlock, host: host.current })
    }
  }, [drawer, expression, isBlock])
  const source = drawer === undefined ? expression : null
  return isBlock ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide formula is scrolled, also by keyboard.
    <div class="formula-block" tabIndex={0}>
      <span ref={host}>{source}</span>
    </div>
  ) : (
    <span class="formula" ref={host}>
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
  host: HTMLElement
}

function draw(drawer: Katex, { expression, isBlock, host }: Drawing): void {
  try {
    // An element, not a string of HTML: the page's policy lets no style attribute through.
    drawer.render(expression, host, { displayMode: isBlock, strict: 'ignore', maxSize: 20 })
    host.classList.remove('formula-source')
  } catch {
    // No formula, or half of one that is being written.
    host.textContent = expression
    host.classList.add('formula-source')
  }
}
