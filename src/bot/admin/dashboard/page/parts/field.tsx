import { useId } from 'preact/hooks'

/** A labelled line to type into, with what is wrong with it beside it. */
export function Field(props: {
  label: string
  hint?: string | undefined
  problem?: string | undefined
  value: string
  inputMode?: 'decimal' | 'numeric' | 'text'
  autoFocus?: boolean
  onInput: (value: string) => void
}) {
  const id = useId()
  const [hintId, problemId] = [`${id}-hint`, `${id}-problem`]
  const described = [
    props.problem === undefined ? undefined : problemId,
    props.hint === undefined ? undefined : hintId,
  ].filter((part) => part !== undefined)
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        id={id}
        class="input num"
        type="text"
        autocomplete="off"
        inputMode={props.inputMode ?? 'text'}
        value={props.value}
        aria-invalid={props.problem !== undefined}
        aria-describedby={described.join(' ')}
        ref={props.autoFocus ? focusOnce : null}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      {props.problem === undefined ? null : (
        <p id={problemId} class="field-problem" role="alert">
          {props.problem}
        </p>
      )}
      {props.hint === undefined ? null : (
        <p id={hintId} class="hint">
          {props.hint}
        </p>
      )}
    </div>
  )
}

/** One function for all drawings: a new one on each drawing would take the focus back each time. */
function focusOnce(input: HTMLInputElement | null): void {
  input?.focus()
  input?.select()
}
