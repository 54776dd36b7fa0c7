import type { Signal } from '@preact/signals'
import { useComputed } from '@preact/signals'
import { words } from '../words/language.ts'
import { countMessages, TEXT_CHARS_MAX } from './count-messages.ts'

/** Below the field: that a long text will be several messages. */
export function LengthNote({ text }: { text: Signal<string> }) {
  const count = useComputed(() =>
    text.value.length > TEXT_CHARS_MAX ? countMessages(text.value) : 1,
  )
  return (
    <p class="length-note hint small" role="status">
      {count.value > 1 ? words.value.compose.splitInto(count.value) : ''}
    </p>
  )
}
