import { useId } from 'preact/hooks'

const COMMON_PATHS = {
  back: 'M14.5 5.5L8 12l6.5 6.5',
  forward: 'M9.5 5.5L16 12l-6.5 6.5',
  close: 'M7 7l10 10M17 7L7 17',
  download: 'M12 4v11M7.5 10.5L12 15l4.5-4.5M5 19.5h14',
}

/** Makes a page's icons of its paths, by name, and of those that both pages have. */
export function createIcon<Name extends string>(paths: Readonly<Record<Name, string>>) {
  const all: Readonly<Record<Name | keyof typeof COMMON_PATHS, string>> = {
    ...COMMON_PATHS,
    ...paths,
  }
  return Icon

  function Icon({ name }: { name: keyof typeof all }) {
    return (
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d={all[name]} />
      </svg>
    )
  }
}

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
