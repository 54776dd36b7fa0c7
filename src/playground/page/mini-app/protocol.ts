/** One of the two buttons below a Mini App. */
export interface BottomButton {
  text: string
  isVisible: boolean
  isActive: boolean
  isProgressVisible: boolean
}

export type BottomButtonName = 'main' | 'secondary'

/** A question of a Mini App that its user answers by a button. */
export interface Popup {
  title: string
  message: string
  buttons: readonly { id: string; type: string; text: string }[]
}

/** Everything that a Mini App may do to the client that shows it. */
export interface MiniAppHost {
  /** Sends the Mini App an event. */
  send(type: string, data?: unknown): void
  isReady(): void
  close(): void
  setBack(isVisible: boolean): void
  setSettings(isVisible: boolean): void
  setBottomButton(name: BottomButtonName, change: Partial<BottomButton>): void
  setAsksBeforeClosing(isAsking: boolean): void
  openLink(url: string): void
  /** An address at t.me, by what follows the host. */
  openTelegramLink(path: string): void
  showPopup(popup: Popup): void
  sendData(data: string): void
  themeParams(): Record<string, string>
  viewport(): { height: number; width: number }
}

type Data = Readonly<Record<string, unknown>>

/** Four sides of nothing: a frame has no notch. */
const NO_INSETS = { top: 0, right: 0, bottom: 0, left: 0 }

/** Actions of a Mini App, by the name of their event. Those of phones are answered as clients without them do. */
const EVENTS: Readonly<Record<string, (host: MiniAppHost, data: Data) => void>> = {
  iframe_ready: (host) => host.isReady(),
  web_app_ready: (host) => host.isReady(),
  web_app_close: (host) => host.close(),
  web_app_setup_back_button: (host, { is_visible }) => host.setBack(is_visible === true),
  web_app_setup_settings_button: (host, { is_visible }) => host.setSettings(is_visible === true),
  web_app_setup_main_button: (host, data) => host.setBottomButton('main', toButton(data)),
  web_app_setup_secondary_button: (host, data) => host.setBottomButton('secondary', toButton(data)),
  web_app_setup_closing_behavior: (host, { need_confirmation }) =>
    host.setAsksBeforeClosing(need_confirmation === true),
  web_app_open_link: (host, { url }) => host.openLink(String(url ?? '')),
  web_app_open_tg_link: (host, { path_full }) => host.openTelegramLink(String(path_full ?? '')),
  web_app_open_popup: (host, data) => host.showPopup(toPopup(data)),
  web_app_data_send: (host, { data }) => host.sendData(String(data ?? '')),
  web_app_request_theme: (host) => host.send('theme_changed', { theme_params: host.themeParams() }),
  web_app_request_viewport: (host) => tellViewport(host),
  web_app_expand: (host) => tellViewport(host),
  web_app_request_safe_area: (host) => host.send('safe_area_changed', NO_INSETS),
  web_app_request_content_safe_area: (host) => host.send('content_safe_area_changed', NO_INSETS),
  web_app_request_write_access: (host) =>
    host.send('write_access_requested', { status: 'allowed' }),
  web_app_request_phone: (host) => host.send('phone_requested', { status: 'cancelled' }),
  web_app_request_fullscreen: (host) => host.send('fullscreen_failed', { error: 'UNSUPPORTED' }),
  web_app_check_home_screen: (host) => host.send('home_screen_checked', { status: 'unsupported' }),
  web_app_add_to_home_screen: (host) => host.send('home_screen_failed', { error: 'UNSUPPORTED' }),
  web_app_check_location: (host) => host.send('location_checked', { available: false }),
  web_app_request_location: (host) => host.send('location_requested', { available: false }),
  web_app_biometry_get_info: (host) => host.send('biometry_info_received', { available: false }),
  web_app_open_invoice: (host, { slug }) => host.send('invoice_closed', { slug, status: 'failed' }),
  web_app_open_scan_qr_popup: (host) => host.send('scan_qr_popup_closed'),
  web_app_request_file_download: (host, { url }) => {
    host.send('file_download_requested', { status: 'downloading' })
    host.openLink(String(url ?? ''))
  },
  // Without access to the clipboard the answer has no data.
  web_app_read_text_from_clipboard: (host, { req_id }) =>
    host.send('clipboard_text_received', { req_id }),
  web_app_invoke_custom_method: (host, { req_id }) =>
    host.send('custom_method_invoked', { req_id, error: 'UNSUPPORTED' }),
  ...failing('device_storage', ['save_key', 'get_key', 'clear']),
  ...failing('secure_storage', ['save_key', 'get_key', 'restore_key', 'clear']),
}

/**
 * Does what a Mini App asks for by one message. What is no message of the protocol, or of none that does anything
 * here (colours of bars, vibration), is passed over.
 *
 * @param message What `postMessage` brought: JSON with `eventType` and `eventData`.
 */
export function takeFromMiniApp(host: MiniAppHost, message: unknown): void {
  const event = parse(message)
  if (event === undefined || !Object.hasOwn(EVENTS, String(event.eventType))) return
  EVENTS[String(event.eventType)]?.(host, parse(event.eventData) ?? {})
}

/** Sends a Mini App how much room it has. */
export function tellViewport(host: MiniAppHost): void {
  host.send('viewport_changed', {
    ...host.viewport(),
    is_expanded: true,
    is_state_stable: true,
  })
}

function failing(storage: string, names: readonly string[]) {
  const fail = (host: MiniAppHost, { req_id }: Data) =>
    host.send(`${storage}_failed`, { req_id, error: 'UNSUPPORTED' })
  return Object.fromEntries(names.map((name) => [`web_app_${storage}_${name}`, fail]))
}

function toButton(data: Data): Partial<BottomButton> {
  const { text, is_visible, is_active, is_progress_visible } = data
  return {
    ...(typeof text === 'string' && { text }),
    ...(typeof is_visible === 'boolean' && { isVisible: is_visible }),
    ...(typeof is_active === 'boolean' && { isActive: is_active }),
    ...(typeof is_progress_visible === 'boolean' && { isProgressVisible: is_progress_visible }),
  }
}

function toPopup({ title, message, buttons }: Data): Popup {
  const list: unknown[] = Array.isArray(buttons) ? buttons : []
  return {
    title: String(title ?? ''),
    message: String(message ?? ''),
    buttons: list.map((button) => {
      const { id, type, text } = parse(button) ?? {}
      return { id: String(id ?? ''), type: String(type ?? 'default'), text: String(text ?? '') }
    }),
  }
}

/** An object, be it one already or its JSON. */
function parse(value: unknown): Data | undefined {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value
    return typeof parsed === 'object' && parsed !== null ? (parsed as Data) : undefined
  } catch {
    // Pages send each other all sorts of words; this is none of the protocol's.
    return undefined
  }
}
