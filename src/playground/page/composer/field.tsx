import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { WireChat } from '../../web/api.ts'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'
import { findToken, type Suggestion, suggestionsOf, type Token } from './suggestions.ts'

/** Matches a phone, where Enter begins a new line: its keyboard has no Shift to hold. */
const TOUCH = '(pointer: coarse) and (hover: none)'

const LIST_ID = 'suggestions'

/** The token that the button of all commands completes: the command is inserted before the text. */
const ANY_COMMAND: Token = { kind: 'command', word: '', start: 0, end: 0 }

export interface Suggestions {
  shown: readonly Suggestion[]
  chosen: number
  move: (by: 1 | -1) => void
  insert: (suggestion: Suggestion) => number
  /** Closes the list until the text changes. @returns Whether it was open. */
  close: () => boolean
  showsCommands: boolean
  toggleCommands: () => void
}

export function useSuggestions(
  chat: WireChat,
  text: Signal<string>,
  cursor: Signal<number>,
): Suggestions {
  const choice = useSignal({ word: '', index: 0 })
  const closedFor = useSignal<string | undefined>(undefined)
  const showsCommands = useSignal(false)
  const found = closedFor.value === text.value ? undefined : findToken(text.value, cursor.value)
  const token = showsCommands.value ? ANY_COMMAND : found
  const { chat: about, commands } = chat
  const it = bot.value?.me
  const isGroup = about.type !== 'private'
  const shown = it === undefined ? [] : suggestionsOf(token, { commands, bot: it, isGroup })
  const word = `${token?.kind} ${token?.word}`
  const index = choice.value.word === word ? choice.value.index : 0
  const chosen = Math.max(0, Math.min(index, shown.length - 1))
  return {
    shown,
    chosen,
    move,
    insert,
    close,
    showsCommands: showsCommands.value,
    toggleCommands: () => {
      showsCommands.value = !showsCommands.value
    },
  }

  function move(by: 1 | -1): void {
    choice.value = { word, index: (chosen + by + shown.length) % shown.length }
  }

  function insert(suggestion: Suggestion): number {
    const { start, end } = token ?? ANY_COMMAND
    const after = text.value.slice(end)
    const inserted = /^\s/.test(after) ? suggestion.text : `${suggestion.text} `
    text.value = text.value.slice(0, start) + inserted + after
    showsCommands.value = false
    return start + inserted.length
  }

  function close(): boolean {
    if (shown.length === 0) return false
    showsCommands.value = false
    closedFor.value = text.value
    return true
  }
}

/** Shows the suggestions; the field keeps the focus. */
export function SuggestionList(props: {
  suggestions: Suggestions
  onPick: (suggestion: Suggestion) => void
}) {
  const { shown, chosen } = props.suggestions
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, shown.length])
  if (shown.length === 0) return null
  const { commands, mention } = words.value.compose
  return (
    <div
      ref={list}
      id={LIST_ID}
      class="suggestions"
      role="listbox"
      aria-label={shown[0]?.kind === 'command' ? commands : mention}
    >
      {shown.map((suggestion, index) => (
        <div
          key={suggestion.text}
          id={idOf(suggestion)}
          class="suggestion row"
          role="option"
          aria-selected={index === chosen}
          tabIndex={-1}
          // Otherwise the field would lose the focus, and a phone its keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => props.onPick(suggestion)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') props.onPick(suggestion)
          }}
        >
          <span class="suggestion-title">{suggestion.title}</span>
          <span class="hint cut">{suggestion.hint}</span>
        </div>
      ))}
    </div>
  )
}

function idOf({ title }: Suggestion): string {
  return `suggestion-${title.slice(1)}`
}

interface FieldProps {
  input: RefObject<HTMLTextAreaElement | null>
  text: Signal<string>
  cursor: Signal<number>
  placeholder: string
  suggestions: Suggestions
  onTake: (key: 'Enter' | 'Tab') => boolean
  onSend: () => void
  onEscape: () => boolean
  /** Up in an empty field. @returns Whether it had an effect. */
  onUp: () => boolean
  onFiles: (files: readonly File[]) => void
}

export function Field(props: FieldProps) {
  const { input, text, cursor, placeholder, suggestions } = props
  const choice = suggestions.shown[suggestions.chosen]
  useLayoutEffect(() => {
    const { current } = input
    if (current === null) return
    current.style.height = 'auto'
    current.style.height = `${current.scrollHeight}px`
  }, [text.value])
  return (
    <textarea
      ref={input}
      class="writing fill"
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
  if (key === 'Enter') {
    const isMeant = ctrlKey || metaKey
    if (!isMeant && (shiftKey || altKey || matchMedia(TOUCH).matches)) return false
    props.onSend()
    return true
  }
  if (key === 'Escape') return suggestions.close() || props.onEscape()
  return key === 'ArrowUp' && isPlain && text.value === '' && props.onUp()
}
