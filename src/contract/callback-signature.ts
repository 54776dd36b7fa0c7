import { createHmac } from 'node:crypto'

/**
 * Makes the headers by which a receiver knows a callback for the service's (interface document,
 * Authentication). A receiver makes them again and compares.
 *
 * @param timestamp Unix seconds of this attempt, in digits: the receiver refuses what is older than 5 minutes.
 * @param body The bytes exactly as they are sent.
 */
export function signCallback({
  secret,
  timestamp,
  body,
}: {
  secret: string
  timestamp: string
  body: Uint8Array
}) {
  const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return {
    'x-callback-timestamp': timestamp,
    'x-callback-signature': `sha256=${hex}`,
  }
}
