import type { ComponentChildren } from 'preact'

/** Fields and their buttons below each other. A field shows its own error; the browser shows none. */
export function Form(props: {
  label?: string
  class?: string
  onSubmit: () => void
  onEscape?: () => void
  children: ComponentChildren
}) {
  const { label, onSubmit, onEscape, children } = props
  return (
    <form
      class={`stack ${props.class ?? ''}`}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onEscape?.()
      }}
    >
      {children}
    </form>
  )
}
