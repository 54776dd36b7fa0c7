import type { RichBlockSectionHeading } from 'grammy/types'
import { RichText } from './rich-text.tsx'

/** Headings of a message stand below those of the page, however large their letters are. */
const HIGHEST_LEVEL = 2

/** A heading; the largest has size 1. */
export function Heading({ block: { size, text } }: { block: RichBlockSectionHeading }) {
  return (
    // An element for each size would be h2 to h7, which HTML does not have.
    // biome-ignore lint/a11y/useSemanticElements: see above.
    <div
      class={`heading heading-${size}`}
      role="heading"
      aria-level={Math.min(size + HIGHEST_LEVEL - 1, 6)}
    >
      <RichText text={text} />
    </div>
  )
}
