import type { RichText as Text } from 'grammy/types'
import { RichText } from './rich-text.tsx'

/** Stands in a draft while its author thinks. */
export function Thinking({ text }: { text: Text }) {
  return (
    <p class="thinking">
      <RichText text={text} />
    </p>
  )
}
