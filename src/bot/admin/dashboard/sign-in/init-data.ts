import { createHmac, timingSafeEqual } from 'node:crypto'
import { isJsonObject, parseJson } from '../../../../platform/http/json.ts'

/**
 * How long the data that Telegram gives a Mini App when it opens may be used, once. A page that is open longer, or is
 * reloaded, has a session, and one that is opened again is given new data.
 */
const AGE_S_MAX = 600
/** Clocks differ. */
const AHEAD_S_MAX = 60

/**
 * Checks the `initData` that a Mini App says Telegram gave it.
 *
 * The bot's token is the key, so data that Telegram made for another bot is invalid here.
 *
 * @returns The user, and the hash by which the same data is known again.
 * @see https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
 */
export function checkInitData(
  initData: string,
  { botToken, now }: { botToken: string; now: Date },
): { userId: number; hash: string } | 'invalid' | 'expired' {
  const fields = readFields(initData)
  const hash = fields?.get('hash')
  if (fields === undefined || hash === undefined || !isSigned(fields, hash, botToken)) {
    return 'invalid'
  }
  const userId = userIdOf(fields.get('user'))
  const signedAtS = readWholeNumber(fields.get('auth_date'))
  if (userId === undefined || signedAtS === undefined) return 'invalid'
  const ageS = now.getTime() / 1000 - signedAtS
  if (ageS < -AHEAD_S_MAX) return 'invalid'
  return ageS > AGE_S_MAX ? 'expired' : { userId, hash: hash.toLowerCase() }
}

/** Undefined where a name comes twice: it is not known which one would count. */
function readFields(initData: string): ReadonlyMap<string, string> | undefined {
  const entries = [...new URLSearchParams(initData)]
  const fields = new Map(entries)
  return fields.size === entries.length ? fields : undefined
}

function isSigned(fields: ReadonlyMap<string, string>, hash: string, botToken: string): boolean {
  // `signature` stays in: it is for those who do not have the token, and this hash covers it.
  const checked = [...fields]
    .filter(([name]) => name !== 'hash')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n')
  const key = createHmac('sha256', 'WebAppData').update(botToken).digest()
  const expected = createHmac('sha256', key).update(checked).digest()
  const given = Buffer.from(/^[0-9a-f]{64}$/i.test(hash) ? hash : '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function userIdOf(json: string | undefined): number | undefined {
  const user = parseJson(json ?? '')
  const id = isJsonObject(user) ? user.id : undefined
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
}

function readWholeNumber(digits: string | undefined): number | undefined {
  return /^\d{1,12}$/.test(digits ?? '') ? Number(digits) : undefined
}
