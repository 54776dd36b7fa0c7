import { signal } from '@preact/signals'
import { contrastOf, isDark, readable } from './contrast.ts'

/** The colours of Telegram that the page takes; any may be missing. */
export type ThemeParams = Partial<
  Record<
    | 'bg_color'
    | 'secondary_bg_color'
    | 'section_bg_color'
    | 'text_color'
    | 'hint_color'
    | 'subtitle_text_color'
    | 'link_color'
    | 'accent_text_color'
    | 'button_color'
    | 'button_text_color'
    | 'destructive_text_color',
    `#${string}`
  >
>

/** How often the colours changed: what is drawn by hand is drawn again. */
export const themeChanges = signal(0)

/** Contrast of text, by WCAG 2.2 AA. Telegram's own themes do not always have it. */
const TEXT = 4.5

/** Takes the colours of Telegram's theme, each made readable on what it stands on. */
export function applyTheme(theme: ThemeParams): void {
  const { style, dataset } = document.documentElement
  const card = theme.section_bg_color ?? theme.bg_color
  if (card === undefined) return
  const page = theme.secondary_bg_color ?? theme.bg_color ?? card
  dataset.scheme = isDark(card) ? 'dark' : 'light'
  const text = readable(
    theme.text_color ?? (isDark(card) ? '#ffffff' : '#000000'),
    [card, page],
    TEXT,
  )
  const accent = theme.accent_text_color ?? theme.link_color ?? theme.button_color
  const button = theme.button_color ?? accent
  const colours = {
    '--page': page,
    // Where both are one colour, the sheet separates cards by their edge.
    '--card': card,
    '--text': text,
    '--hint': readable(theme.subtitle_text_color ?? theme.hint_color ?? text, [card, page], TEXT),
    '--accent': accent && readable(accent, [card, page], TEXT),
    '--button': button,
    '--on-button': button && onButton(button, theme.button_text_color ?? '#ffffff'),
    '--danger':
      theme.destructive_text_color && readable(theme.destructive_text_color, [card, page], TEXT),
  }
  for (const [name, colour] of Object.entries(colours)) {
    if (colour !== undefined) style.setProperty(name, colour)
  }
  themeChanges.value += 1
}

/** Draws again when the browser's scheme changes, which the sheet follows by itself. */
export function followScheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    themeChanges.value += 1
  })
}

/** Telegram's own colour where it can be read, else black or white. */
function onButton(button: string, text: string): string {
  if (contrastOf(text, button) >= TEXT) return text
  return contrastOf('#ffffff', button) >= contrastOf('#000000', button) ? '#ffffff' : '#000000'
}
