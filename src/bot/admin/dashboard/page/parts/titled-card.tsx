import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A titled region of a view. While its content is read again it says so, and stays readable. */
export function TitledCard(props: {
  title: string
  hint?: string | undefined
  action?: ComponentChildren
  isReading?: boolean
  class?: string
  children: ComponentChildren
}) {
  const id = useId()
  return (
    <section
      class={`card ${props.class ?? ''}`}
      aria-labelledby={id}
      aria-busy={props.isReading ?? false}
    >
      <header class="card-header">
        <h2 id={id}>{props.title}</h2>
        {props.action}
      </header>
      {props.hint === undefined ? null : <p class="hint">{props.hint}</p>}
      {props.children}
    </section>
  )
}
