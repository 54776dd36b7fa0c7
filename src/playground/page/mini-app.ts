import { launchUrl } from './links.ts'
import { attempt } from './parts/notices.tsx'
import { act } from './state/request.ts'

/** The page's own colours by the names that Telegram uses. */
const THEME = {
  bg_color: '--surface',
  secondary_bg_color: '--page',
  section_bg_color: '--surface',
  text_color: '--text',
  hint_color: '--hint',
  subtitle_text_color: '--hint',
  link_color: '--link',
  accent_text_color: '--accent',
  button_color: '--button',
  button_text_color: '--on-button',
  destructive_text_color: '--danger',
} as const

/** Opens a Mini App in a new tab, signed in as the person. Shows a refusal by the playground. */
export async function openMiniApp(chatId: number, url: string): Promise<void> {
  // At once: after the request the browser would take the new tab for a pop-up.
  const tab = open('', '_blank')
  if (tab === null) return
  tab.opener = null
  const isOpened = await attempt(async () => {
    const { init_data: initData } = await act('/chats/:id/web-apps', { url }, chatId)
    tab.location.replace(launchUrl(url, { initData, themeParams: readThemeParams() }))
  })
  if (!isOpened) tab.close()
}

function readThemeParams(): Record<string, string> {
  const probe = document.createElement('span')
  document.body.append(probe)
  const params = Object.entries(THEME).map(([name, token]) => {
    probe.style.color = `var(${token})`
    return [name, toHex(getComputedStyle(probe).color)] as const
  })
  probe.remove()
  return Object.fromEntries(params)
}

function toHex(colour: string): string {
  const channels = (colour.match(/\d+/g) ?? []).slice(0, 3)
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`
}
