const PATHS = {
  back: 'M14.5 5.5L8 12l6.5 6.5',
  forward: 'M9.5 5.5L16 12l-6.5 6.5',
  close: 'M7 7l10 10M17 7L7 17',
  download: 'M12 4v11M7.5 10.5L12 15l4.5-4.5M5 19.5h14',
  more: 'M12 5.5v.01M12 12v.01M12 18.5v.01',
  panel: 'M4.5 5h15v14h-15zM14.5 5v14',
  send: 'M4.5 12L20 4.5 15.5 20l-3.5-6.5zM12 13.5L20 4.5',
  addPerson:
    'M10 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M3.5 19.5a6.5 6.5 0 0 1 13 0M18.5 7v5M16 9.5h5',
  add: 'M12 5v14M5 12h14',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  down: 'M6 9.5l6 6 6-6',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  quote: 'M5 6.5h14M5 11h9M5 15.5h6M17.5 14v5M15 16.5h5',
  outside: 'M13.5 5H19v5.5M19 5l-8 8M17 14v5H5V7h5',
  attach:
    'M18.5 11.5l-6.8 6.8a4.2 4.2 0 0 1-6-6L13 5a2.9 2.9 0 0 1 4.1 4.1l-7.2 7.2a1.5 1.5 0 0 1-2.1-2.1l6.6-6.6',
  commands:
    'M5 4.5h14a.5.5 0 0 1 .5.5v14a.5.5 0 0 1-.5.5H5a.5.5 0 0 1-.5-.5V5a.5.5 0 0 1 .5-.5M14 8l-4 8',
  edit: 'M5 19h3.5L19 8.5 15.5 5 5 15.5zM13 7.5l3.5 3.5',
  file: 'M7 3.5h6.5L18 8v12.5H6v-17zM13 4v4.5h5',
  reply: 'M10 6.5L4.5 12l5.5 5.5M4.5 12H14a5.5 5.5 0 0 1 5.5 5.5v1',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 11v5M13.5 11v5',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

export function IconButton(props: {
  icon: IconName
  label: string
  class?: string
  isPressed?: boolean
  isExpanded?: boolean
  onClick: (event: MouseEvent) => void
}) {
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ''}`}
      aria-label={props.label}
      title={props.label}
      aria-pressed={props.isPressed}
      aria-expanded={props.isExpanded}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  )
}
