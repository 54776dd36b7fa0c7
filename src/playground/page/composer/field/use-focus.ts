import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Intent } from '../../state/intent.ts'

/** Matches a page with a mouse: a keyboard over half the page comes up only when the person asks for it. */
const MOUSE = '(hover: hover)'

/** Puts the cursor into the field when its chat opens, and at its end when a reply or an edit begins. */
export function useFocus(
  input: RefObject<HTMLTextAreaElement | null>,
  intent: Intent | undefined,
): void {
  const messageId = intent?.message.message.message_id
  useEffect(() => {
    const field = input.current
    if (field === null || (messageId === undefined && !matchMedia(MOUSE).matches)) return
    // A dialog that is open has the focus, and gives it back.
    if (document.querySelector('dialog[open]') !== null) return
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  }, [messageId, intent?.type])
}
