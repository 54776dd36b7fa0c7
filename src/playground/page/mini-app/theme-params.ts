/** Colours as Telegram sends them to a Mini App, each from the page's own. */
const SOURCES = {
  bg_color: '--surface',
  secondary_bg_color: '--page',
  section_bg_color: '--surface',
  header_bg_color: '--surface',
  bottom_bar_bg_color: '--surface',
  text_color: '--text',
  hint_color: '--hint',
  subtitle_text_color: '--hint',
  section_header_text_color: '--accent',
  link_color: '--link',
  accent_text_color: '--accent',
  button_color: '--button',
  button_text_color: '--on-button',
  destructive_text_color: '--danger',
} as const

/** The page's colours at this moment, as `#rrggbb`. */
export function readThemeParams(): Record<string, string> {
  const probe = document.createElement('span')
  document.body.append(probe)
  const params = Object.entries(SOURCES).map(([name, token]) => {
    probe.style.color = `var(${token})`
    return [name, toHex(getComputedStyle(probe).color)] as const
  })
  probe.remove()
  return Object.fromEntries(params)
}

function toHex(colour: string): string {
  const channels = colour.match(/\d+/g) ?? []
  const [red = '0', green = '0', blue = '0'] = channels
  return `#${[red, green, blue].map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`
}
