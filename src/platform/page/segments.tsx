import { useId } from 'preact/hooks'

/** One of a few, all in sight: arrows move between them. The sheet `controls.css` draws them. */
export function Segments<T extends string>(props: {
  label: string
  isUnlabelled?: boolean
  options: readonly { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}) {
  const name = useId()
  return (
    <fieldset class="segments">
      <legend class={props.isUnlabelled ? 'unseen' : ''}>{props.label}</legend>
      <div class="segment-list">
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
      </div>
    </fieldset>
  )
}
