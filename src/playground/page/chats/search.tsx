import { useLayoutEffect, useRef } from 'preact/hooks'
import { IconButton } from '../parts/icon-button.tsx'
import { Icon } from '../parts/icons.tsx'
import { show } from '../route.ts'
import { words } from '../words/language.ts'
import { found, searchCalls, sought } from './sought.ts'

/** Looks for a chat by its name; Enter opens the first that is found. */
export function Search() {
  const field = useRef<HTMLInputElement>(null)
  const calls = searchCalls.value
  // Before the next key, which is a part of the name already.
  useLayoutEffect(() => {
    if (calls > 0) field.current?.focus()
  }, [calls])
  const { shell } = words.value
  return (
    <form
      class="chat-search"
      onSubmit={(event) => {
        event.preventDefault()
        const first = found.value[0]
        if (first === undefined) return
        show({ chatId: first.id })
        sought.value = ''
        // The keys are the chat's from here on: its own field takes the focus only after the next paint.
        field.current?.blur()
      }}
    >
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={shell.search}
        placeholder={shell.search}
        value={sought.value}
        onInput={({ currentTarget }) => {
          sought.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          sought.value = ''
          event.currentTarget.blur()
        }}
      />
      {sought.value === '' ? null : (
        <IconButton icon="close" label={shell.clearSearch} onClick={clear} />
      )}
    </form>
  )

  function clear(): void {
    sought.value = ''
    field.current?.focus()
  }
}
