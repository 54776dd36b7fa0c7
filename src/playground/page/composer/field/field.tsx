import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { words } from '../../words/language.ts'
import { idOf, LIST_ID } from './suggestion-list.tsx'
import type { Suggestions } from './use-suggestions.ts'

/** Matches a phone, where Enter begins a new line: its keyboard has no Shift to hold. */
const TOUCH = '(pointer: coarse) and (hover: none)'

export interface FieldProps {
  input: RefObject<HTMLTextAreaElement | null>
  text: Signal<string>
  cursor: Signal<number>
  placeholder: string
  suggestions: Suggestions
  /** Takes what is chosen in the list. @returns False if nothing is: the key sends. */
  onTake: (key: 'Enter' | 'Tab') => boolean
  onSend: () => void
  /** @returns Whether there was something to end. */
  onEscape: () => boolean
  /** Up in an empty field. @returns Whether it led anywhere. */
  onUp: () => boolean
  onFiles: (files: readonly File[]) => void
}

/** The field that text is written in: it grows with the text, up to a third of the page. */
export function Field(props: FieldProps) {
  const { input, text, cursor, placeholder, suggestions } = props
  const { shown, chosen } = suggestions
  const choice = shown[chosen]
  useLayoutEffect(() => {
    if (input.current !== null) fitHeight(input.current)
  }, [text.value])
  return (
    <textarea
      ref={input}
      class="writing"
      rows={1}
      aria-label={words.value.compose.field}
      aria-autocomplete="list"
      aria-controls={choice === undefined ? undefined : LIST_ID}
      aria-activedescendant={choice === undefined ? undefined : idOf(choice)}
      placeholder={placeholder}
      value={text.value}
      onInput={({ currentTarget }) => {
        text.value = currentTarget.value
        cursor.value = currentTarget.selectionStart
      }}
      onSelect={({ currentTarget }) => {
        cursor.value = currentTarget.selectionStart
      }}
      onKeyDown={(event) => {
        if (!event.isComposing && takeKey(event, props)) {
          event.preventDefault()
          event.stopPropagation()
        }
      }}
      onPaste={(event) => {
        const files = [...(event.clipboardData?.files ?? [])]
        if (files.length === 0) return
        event.preventDefault()
        props.onFiles(files)
      }}
    />
  )
}

/** @returns Whether the key did something beside writing. */
function takeKey(event: KeyboardEvent, props: FieldProps): boolean {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event
  const { suggestions, text } = props
  const isPlain = !(shiftKey || ctrlKey || metaKey || altKey)
  if (suggestions.shown.length > 0 && isPlain) {
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      suggestions.move(key === 'ArrowUp' ? -1 : 1)
      return true
    }
    if ((key === 'Enter' || key === 'Tab') && props.onTake(key)) return true
  }
  if (key === 'Enter') return takeEnter(event, props)
  if (key === 'Escape') return suggestions.close() || props.onEscape()
  return key === 'ArrowUp' && isPlain && text.value === '' && props.onUp()
}

function takeEnter({ shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent, props: FieldProps) {
  const isMeant = ctrlKey || metaKey
  if (!isMeant && (shiftKey || altKey || matchMedia(TOUCH).matches)) return false
  props.onSend()
  return true
}

/** CSS bounds the height; without it the field would only scroll. */
function fitHeight(input: HTMLTextAreaElement): void {
  input.style.height = 'auto'
  input.style.height = `${input.scrollHeight}px`
}
