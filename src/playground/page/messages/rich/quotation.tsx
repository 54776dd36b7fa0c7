import type { RichText as Text } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { RichText } from './rich-text.tsx'

interface QuotationProps {
  credit: Text | undefined
  /** Drawn out to the middle, instead of standing beside the text. */
  isPulled?: boolean
  children: ComponentChildren
}

/** Quotes somebody else, with their name. */
export function Quotation({ credit, isPulled = false, children }: QuotationProps) {
  return (
    <blockquote class={isPulled ? 'pulled' : 'quotation'}>
      <div class="rich-inside">{children}</div>
      {credit === undefined ? null : (
        <cite class="hint small">
          <RichText text={credit} />
        </cite>
      )}
    </blockquote>
  )
}
