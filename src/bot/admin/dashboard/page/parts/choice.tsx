import { useId } from 'preact/hooks'

/** The options of a choice, in order. */
export type Options<T extends string> = readonly { value: T; label: string }[]

/** One of a few, all in sight: arrows move between them. */
export function Segments<T extends string>(props: {
  label: string
  options: Options<T>
  value: T
  onChange: (value: T) => void
}) {
  const name = useId()
  return (
    <fieldset class="segments">
      <legend class="unseen">{props.label}</legend>
      {props.options.map(({ value, label }) => (
        <label key={value} class="segment">
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** One of many, in the system's own list. */
export function Select<T extends string>(props: {
  label: string
  options: Options<T>
  value: T
  isSet?: boolean
  isDisabled?: boolean
  isLabelled?: boolean
  onChange: (value: T) => void
}) {
  const id = useId()
  return (
    <div class={`select ${props.isSet ? 'is-set' : ''} ${props.isLabelled ? 'field' : ''}`}>
      <label for={id} class={props.isLabelled ? '' : 'unseen'}>
        {props.label}
      </label>
      <select
        id={id}
        value={props.value}
        disabled={props.isDisabled ?? false}
        onChange={(event) => props.onChange(event.currentTarget.value as T)}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}
