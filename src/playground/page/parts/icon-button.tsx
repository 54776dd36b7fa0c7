import { Icon, type IconName } from './icons.tsx'

/** A button with a drawing instead of words. */
export function IconButton(props: {
  icon: IconName
  label: string
  class?: string
  isPressed?: boolean
  isDisabled?: boolean
  onClick: (event: MouseEvent) => void
}) {
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ''}`}
      aria-label={props.label}
      title={props.label}
      aria-pressed={props.isPressed}
      disabled={props.isDisabled ?? false}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  )
}
