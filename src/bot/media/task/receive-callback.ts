import { timingSafeEqual } from 'node:crypto'
import { signCallback } from '../../../contract/callback-signature.ts'
import { readCallback, type TaskEnd } from '../../../contract/client/read-answers.ts'
import { parseJson } from '../../../platform/http/json.ts'
import type { AccountSecret } from './account-secret.ts'

/** Older ones may be somebody's who has read one (interface document, Verification rules). */
const AGE_S_MAX = 300

/** A callback as it came. */
export interface GivenCallback {
  /** Of its order; the end of the callback's URL. */
  key: string
  timestamp: string | undefined
  signature: string | undefined
  /** Byte for byte. */
  body: Buffer
}

/** `unknown`: it is ours, and no order waits for it; it may have been told before, or by a poll. */
export type CallbackOutcome =
  | 'noted'
  | 'unknown'
  | 'stale'
  | 'unsigned'
  | 'unreadable'
  /** Whether it is signed cannot be said now. */
  | 'secret_unknown'

export interface CallbackReceiverDeps {
  secret: AccountSecret
  note: (end: { key: string; taskId: number; body: object }) => Promise<boolean>
  /** The database's time: the clock of this machine may be wrong. */
  now: () => Promise<Date>
}

/** Makes what takes callbacks: checks one, and keeps what it tells for the next visit of its order. */
export function createCallbackReceiver({ secret, note, now }: CallbackReceiverDeps) {
  return receive

  async function receive(callback: GivenCallback): Promise<CallbackOutcome> {
    const { key, timestamp = '', body } = callback
    if (!(await isFresh(timestamp))) return 'stale'
    const isSigned = await secret.fits((known) => isSignedWith(known, { ...callback, timestamp }))
    if (isSigned === undefined) return 'secret_unknown'
    if (!isSigned) return 'unsigned'
    const json = parseJson(body.toString())
    const end: TaskEnd | undefined = readCallback(json)
    if (end === undefined) return 'unreadable'
    const isNoted = await note({ key, taskId: end.taskId, body: json as object })
    return isNoted ? 'noted' : 'unknown'
  }

  async function isFresh(timestamp: string): Promise<boolean> {
    if (!/^\d{1,12}$/.test(timestamp)) return false
    const ageS = (await now()).getTime() / 1000 - Number(timestamp)
    return Math.abs(ageS) <= AGE_S_MAX
  }
}

function isSignedWith(
  secret: string,
  { timestamp, signature = '', body }: GivenCallback & { timestamp: string },
): boolean {
  const wanted = Buffer.from(signCallback({ secret, timestamp, body })['x-callback-signature'])
  const given = Buffer.from(signature)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
