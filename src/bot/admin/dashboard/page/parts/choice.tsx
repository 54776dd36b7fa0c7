import { useId } from 'preact/hooks'

type Options<T extends string> = readonly { value: T; label: string }[]

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
