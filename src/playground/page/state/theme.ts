import { signal } from '@preact/signals'

export const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

const KEY = 'playground.theme'

/** The chosen colours; `system` follows the machine's. */
export const theme = signal<Theme>(readTheme())

/** Paints the page when the choice changes, here or in another tab. */
export function followTheme(): void {
  theme.subscribe((chosen) => {
    if (chosen === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = chosen
  })
  addEventListener('storage', ({ key }) => {
    if (key === KEY) theme.value = readTheme()
  })
}

/** Keeps the choice in this browser. */
export function chooseTheme(to: Theme): void {
  localStorage.setItem(KEY, to)
  theme.value = to
}

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find((known) => known === kept) ?? 'system'
}
