import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import { attempt } from '../dialogs/attempt.ts'
import { askToOpen } from '../dialogs/link-dialog.tsx'
import { openAddress } from '../dialogs/open-address.ts'
import { act } from '../request.ts'
import { isDark, theme } from '../state/theme.ts'
import { closeMiniApp, type MiniApp } from './mini-app.ts'
import {
  type BottomButton,
  type BottomButtonName,
  type MiniAppHost,
  type Popup,
  takeFromMiniApp,
  tellViewport,
} from './protocol.ts'
import { readThemeParams } from './theme-params.ts'

/** How the frame of a Mini App looks, as the app wants it. */
export interface FrameLooks {
  isReady: boolean
  hasBack: boolean
  hasSettings: boolean
  asksBeforeClosing: boolean
  popup: Popup | undefined
  buttons: Readonly<Record<BottomButtonName, BottomButton>>
}

const NO_BUTTON: BottomButton = {
  text: '',
  isVisible: false,
  isActive: true,
  isProgressVisible: false,
}

const AT_FIRST: FrameLooks = {
  isReady: false,
  hasBack: false,
  hasSettings: false,
  asksBeforeClosing: false,
  popup: undefined,
  buttons: { main: NO_BUTTON, secondary: NO_BUTTON },
}

/** Talks only with the Mini App in a frame, known by the frame and by its origin. */
export function useMiniApp(app: MiniApp) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [looks, change] = useReducer(
    (now: FrameLooks, some: (now: FrameLooks) => Partial<FrameLooks>) => ({ ...now, ...some(now) }),
    AT_FIRST,
  )
  const [isAsking, setAsking] = useState(false)
  const { origin } = new URL(app.url)
  const host: MiniAppHost = {
    send: (eventType, eventData = null) =>
      frame.current?.contentWindow?.postMessage(JSON.stringify({ eventType, eventData }), origin),
    isReady: () => change(() => ({ isReady: true })),
    close: closeMiniApp,
    setBack: (hasBack) => change(() => ({ hasBack })),
    setSettings: (hasSettings) => change(() => ({ hasSettings })),
    setBottomButton: (name, some) =>
      change(({ buttons }) => ({ buttons: { ...buttons, [name]: { ...buttons[name], ...some } } })),
    setAsksBeforeClosing: (asksBeforeClosing) => change(() => ({ asksBeforeClosing })),
    openLink: askToOpen,
    openTelegramLink: (path) => {
      closeMiniApp()
      openAddress(new URL(path, 'https://t.me').href)
    },
    showPopup: (popup) => change(() => ({ popup })),
    sendData,
    themeParams: readThemeParams,
    viewport: () => ({
      height: frame.current?.clientHeight ?? 0,
      width: frame.current?.clientWidth ?? 0,
    }),
  }

  // With the frame, not after it is drawn: an app that comes at once speaks before that.
  useLayoutEffect(() => {
    const onMessage = ({ source, origin: from, data }: MessageEvent<unknown>) => {
      if (from === origin && source === frame.current?.contentWindow) takeFromMiniApp(host, data)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [origin])

  // Also when a button below it comes or goes. Before the app has come, the frame is the page's own.
  useEffect(() => {
    if (!looks.isReady || frame.current === null) return undefined
    const sizes = new ResizeObserver(() => tellViewport(host))
    sizes.observe(frame.current)
    return () => sizes.disconnect()
  }, [looks.isReady])

  useEffect(() => {
    if (looks.isReady) host.send('theme_changed', { theme_params: readThemeParams() })
  }, [theme.value, isDark()])

  return {
    frame,
    looks,
    isAsking,
    host,
    /** Closes the app as the person does: it may want to be asked about. */
    leave: () => (looks.asksBeforeClosing ? setAsking(true) : closeMiniApp()),
    stay: () => setAsking(false),
    answerPopup: (buttonId: string | undefined) => {
      change(() => ({ popup: undefined }))
      host.send('popup_closed', buttonId === undefined ? {} : { button_id: buttonId })
    },
    reload: () => {
      change(() => AT_FIRST)
      host.send('reload_iframe')
    },
  }

  /** Only an app of a reply keyboard sends, once; it is closed by it. */
  function sendData(data: string): void {
    const { chat, keyboardText } = app
    if (keyboardText === undefined) return
    closeMiniApp()
    const body = { data, button_text: keyboardText }
    void attempt(() => act('/chats/:id/web-app-data', body, chat.id))
  }
}
