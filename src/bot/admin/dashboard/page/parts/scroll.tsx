import type { ComponentChildren } from 'preact'

/** What may be longer than its place. The keyboard reaches it, so that arrows scroll it. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse.
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
