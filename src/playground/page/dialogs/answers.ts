import { listen } from '../live.ts'
import { alertText, toast } from './notices.ts'
import { openAddress } from './open-address.ts'

/** Shows how the bot answers presses of buttons, from now on. */
export function followAnswersToPresses(): void {
  listen('answer', ({ text, show_alert: isAlert, url }) => {
    if (text !== '' && isAlert) alertText.value = text
    else if (text !== '') toast(text)
    if (url !== '') openAddress(url)
  })
}
