import {
  hasWebviewProxy,
  isIframe,
  retrieveLaunchParams,
  retrieveRawInitData,
} from '@telegram-apps/bridge'

/** The launch parameters that Telegram gave when it opened the page; undefined in an ordinary browser. */
export const launch = readLaunch()

/** True if Telegram listens, too: a launch in a tab of its own, such as a copied one, is heard by no client. */
export const isInTelegram = launch !== undefined && (hasWebviewProxy(window) || isIframe())

/** Returns who opened the page, signed by Telegram; undefined outside of Telegram. */
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
