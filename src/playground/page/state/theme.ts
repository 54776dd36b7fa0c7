import { signal } from '@preact/signals'

export const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

const KEY = 'playground.theme'

/** The colours that the person chose; `system` follows the machine's. */
export const theme = signal<Theme>(readTheme())

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(systemIsDark.matches)

/** Paints the page, from now on also when the choice is changed here or in another tab. */
export function followTheme(): void {
  theme.subscribe((chosen) => {
    if (chosen === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = chosen
  })
  systemIsDark.addEventListener('change', ({ matches }) => {
    isSystemDark.value = matches
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

/** Checks whether the page is dark at this moment, by choice or by the machine. */
export function isDark(): boolean {
  return theme.value === 'system' ? isSystemDark.value : theme.value === 'dark'
}

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find((known) => known === kept) ?? 'system'
}
