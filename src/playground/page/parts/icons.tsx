const PATHS = {
  back: 'M14.5 5.5L8 12l6.5 6.5',
  forward: 'M9.5 5.5L16 12l-6.5 6.5',
  close: 'M7 7l10 10M17 7L7 17',
  more: 'M12 5.5v.01M12 12v.01M12 18.5v.01',
  panel: 'M4.5 5h15v14h-15zM14.5 5v14',
  search: 'M10.5 16.5a6 6 0 1 0 0-12 6 6 0 0 0 0 12M15 15l4.5 4.5',
  send: 'M4.5 12L20 4.5 15.5 20l-3.5-6.5zM12 13.5L20 4.5',
  settings:
    'M12 15.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4M12 3.5v2.3M12 18.2v2.3M3.5 12h2.3M18.2 12h2.3M6 6l1.6 1.6M16.4 16.4L18 18M6 18l1.6-1.6M16.4 7.6L18 6',
  person: 'M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M5 19.5a7 7 0 0 1 14 0',
  topic: 'M9 4.5L7 19.5M17 4.5l-2 15M4.5 9.5h15M4 14.5h15',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  down: 'M6 9.5l6 6 6-6',
  outside: 'M13.5 5H19v5.5M19 5l-8 8M17 14v5H5V7h5',
} as const

export type IconName = keyof typeof PATHS

/** A drawing beside words that say the same; screen readers pass it over. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
