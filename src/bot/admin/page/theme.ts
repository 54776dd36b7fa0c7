/** Contrast of text, by WCAG 2.2 AA. Telegram's own themes do not always have it. */
const TEXT = 4.5
const COLOUR = /^#[0-9a-f]{6}$/i
const STEP = 0.05

/**
 * Writes a style sheet with the colours of a Telegram theme, each made readable on its ground.
 *
 * @param given Telegram's names (`bg_color`, …) and colours; any may be missing.
 */
export function themeSheet(given: URLSearchParams): string {
  const find = (...names: string[]) =>
    names.map((name) => given.get(name) ?? '').find((colour) => COLOUR.test(colour))
  const card = find('section_bg_color', 'bg_color')
  if (card === undefined) return ''
  const page = find('secondary_bg_color', 'bg_color') ?? card
  const on = (colour: string) => readable(colour, [card, page])
  const text = on(find('text_color') ?? (isDark(card) ? '#ffffff' : '#000000'))
  const accent = find('accent_text_color', 'link_color', 'button_color')
  const danger = find('destructive_text_color')
  const button = find('button_color') ?? accent
  const colours = {
    '--page': page,
    '--card': card,
    '--text': text,
    '--hint': on(find('subtitle_text_color', 'hint_color') ?? text),
    '--accent': accent && on(accent),
    '--button': button,
    '--on-button': button && textOn(button, find('button_text_color') ?? '#ffffff'),
    '--danger': danger && on(danger),
  }
  const lines = Object.entries(colours).map(([name, colour]) => colour && `${name}: ${colour};`)
  const scheme = `color-scheme: ${isDark(card) ? 'dark' : 'light'};`
  return `:root:root { ${[scheme, ...lines].filter(Boolean).join(' ')} }`
}

/** Telegram's own colour if it can be read there, else black or white. */
function textOn(button: string, text: string): string {
  if (contrastOf(text, button) >= TEXT) return text
  return isDark(button) ? '#ffffff' : '#000000'
}

/** Shifts a colour towards black or white, in steps, until it can be read on all the grounds. */
function readable(colour: string, grounds: readonly string[]): string {
  const end = isDark(grounds[0] ?? '#ffffff') ? 255 : 0
  const steps = Array.from({ length: 1 / STEP + 1 }, (_, index) => mix(colour, end, index * STEP))
  const isReadable = (one: string) => grounds.every((ground) => contrastOf(one, ground) >= TEXT)
  return steps.find(isReadable) ?? mix(colour, end, 1)
}

function isDark(colour: string): boolean {
  return contrastOf('#ffffff', colour) > contrastOf('#000000', colour)
}

/** Returns the contrast of two colours by WCAG: 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
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
