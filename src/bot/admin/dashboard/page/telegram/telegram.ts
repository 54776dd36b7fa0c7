import { effect } from '@preact/signals'
import { on, postEvent, setTargetOrigin, supports } from '@telegram-apps/bridge'
import { goBack, route } from '../route.ts'
import { setKnownLanguage } from '../words/language.ts'
import { isInTelegram, launch } from './launch.ts'
import { applyTheme, type ThemeParams } from './theme.ts'

/**
 * Makes the page one of Telegram's own: its colours, its size, its button Back, its language. Outside of
 * Telegram it does nothing.
 */
export function joinTelegram(): void {
  if (launch === undefined) return
  const version = launch.tgWebAppVersion
  setKnownLanguage(launch.tgWebAppData?.user?.language_code)
  applyTheme(launch.tgWebAppThemeParams as ThemeParams)
  if (!isInTelegram) return
  // Only a page that the policy names can frame this one: Telegram, or the playground instead.
  setTargetOrigin('*')
  on('theme_changed', ({ theme_params }) => applyTheme(theme_params as ThemeParams))
  on('viewport_changed', ({ height, is_state_stable }) => {
    if (is_state_stable) setLength('--viewport-height', height)
  })
  for (const name of ['safe_area_changed', 'content_safe_area_changed'] as const) {
    on(name, ({ top, bottom }) => {
      setLength(`--${name.replaceAll('_', '-').replace('-changed', '')}-top`, top)
      setLength(`--${name.replaceAll('_', '-').replace('-changed', '')}-bottom`, bottom)
    })
  }
  on('back_button_pressed', goBack)
  postEvent('web_app_ready')
  postEvent('web_app_expand')
  postEvent('web_app_request_viewport')
  if (supports('web_app_request_safe_area', version)) {
    postEvent('web_app_request_safe_area')
    postEvent('web_app_request_content_safe_area')
  }
  if (supports('web_app_setup_back_button', version)) {
    effect(() =>
      postEvent('web_app_setup_back_button', { is_visible: route.value.path.length > 1 }),
    )
  }
}

/** Hands a file to Telegram, whose web view does not download by itself. False where it cannot. */
export function downloadByTelegram(url: string, fileName: string): boolean {
  if (launch === undefined || !isInTelegram) return false
  if (!supports('web_app_request_file_download', launch.tgWebAppVersion)) return false
  postEvent('web_app_request_file_download', { url, file_name: fileName })
  return true
}

function setLength(name: string, pixels: number): void {
  document.documentElement.style.setProperty(name, `${pixels}px`)
}
