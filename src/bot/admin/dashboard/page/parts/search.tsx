import { useEffect, useId, useState } from 'preact/hooks'
import { words } from '../words/language.ts'
import { Icon } from './icons.tsx'

/** After the last letter: shorter asks the server for every letter, longer feels slow. */
const PAUSE_MS = 250

/** A line to search by, which asks when the typing pauses, and at once by Enter. */
export function Search({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const id = useId()
  const [text, setText] = useState(value)
  const typed = text.trim()
  const { search, searchHint, clearSearch } = words.value
  // Only typing asks.
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onSearch(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onSearch(typed)
        }}
      >
        <label for={id} class="unseen">
          {search}
        </label>
        <input
          id={id}
          class="input"
          type="search"
          autocomplete="off"
          enterkeyhint="search"
          placeholder={searchHint}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {text === '' ? null : (
          <button
            type="button"
            class="button button-icon search-clear"
            onClick={() => {
              setText('')
              onSearch('')
            }}
          >
            <Icon name="close" />
            <span class="unseen">{clearSearch}</span>
          </button>
        )}
      </form>
    </search>
  )
}
