/** Paths that both pages draw. */
export const BACK = 'M14.5 5.5L8 12l6.5 6.5'
export const FORWARD = 'M9.5 5.5L16 12l-6.5 6.5'
export const CLOSE = 'M7 7l10 10M17 7L7 17'
export const DOWNLOAD = 'M12 4v11M7.5 10.5L12 15l4.5-4.5M5 19.5h14'

/** A drawing beside words that say the same; screen readers pass it over. */
export function Drawing({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
