import { useEffect, useRef } from 'preact/hooks'
import { words } from '../../words/language.ts'
import type { Suggestion } from './suggestions-of.ts'
import type { Suggestions } from './use-suggestions.ts'

export const LIST_ID = 'suggestions'

/** The id by which the field names the one that Enter takes. */
export function idOf({ key }: Suggestion): string {
  return `suggestion-${key}`
}

/** Commands or people that the word before the cursor may become. The field keeps the focus. */
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
  const { commands, people } = words.value.compose
  return (
    <div
      ref={list}
      id={LIST_ID}
      class="suggestions"
      role="listbox"
      aria-label={shown[0]?.kind === 'command' ? commands : people}
    >
      {shown.map((suggestion, index) => (
        <div
          key={suggestion.key}
          id={idOf(suggestion)}
          class="suggestion"
          role="option"
          aria-selected={index === chosen}
          tabIndex={-1}
          // Before the click: the field would lose the focus, and a phone its keyboard.
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
