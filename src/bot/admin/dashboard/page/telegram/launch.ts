import {
  hasWebviewProxy,
  isIframe,
  retrieveLaunchParams,
  retrieveRawInitData,
} from '@telegram-apps/bridge'

/** What Telegram told when it opened the page; undefined in an ordinary browser. */
export const launch = readLaunch()

/** Whether Telegram listens, too: a launch in a tab of its own, such as one that was copied, is heard by no client. */
export const isInTelegram = launch !== undefined && (hasWebviewProxy(window) || isIframe())

/** Who opened the page, signed by Telegram; undefined outside. */
export function launchInitData(): string | undefined {
  return launch === undefined ? undefined : retrieveRawInitData()
}

/** The bridge keeps it over a reload; it throws where there is none. */
function readLaunch() {
  try {
    return retrieveLaunchParams()
  } catch {
    return undefined
  }
}
