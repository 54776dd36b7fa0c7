import type { ComponentChildren } from 'preact'

/** Scrolls content that may be larger than its box. It takes the focus, so that arrows scroll it. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse.
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
