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
}

/** Telegram's own colour where it can be read, else black or white. */
function onButton(button: string, text: string): string {
  if (contrastOf(text, button) >= TEXT) return text
  return contrastOf('#ffffff', button) >= contrastOf('#000000', button) ? '#ffffff' : '#000000'
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function isDark(colour: string): boolean {
  return contrastOf('#ffffff', colour) > contrastOf('#000000', colour)
}

/** Shifts a colour towards black or white, in steps, until it can be read on all the grounds. */
function readable(colour: string, grounds: readonly string[], contrast: number): string {
  const end = isDark(grounds[0] ?? '#ffffff') ? 255 : 0
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, end, share)
    if (grounds.every((ground) => contrastOf(mixed, ground) >= contrast)) return mixed
  }
  return mix(colour, end, 1)
}

function mix(colour: string, end: number, share: number): string {
  const mixed = channelsOf(colour).map((channel) => Math.round(channel + (end - channel) * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}
