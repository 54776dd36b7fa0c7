import type { RecordedCall } from '../../src/playground/checks/call-log.ts'
import type { Playground } from '../../src/playground/playground.ts'

const PRIVATE_WINDOW_MS = 5_000
/** One a second: Telegram tolerates short bursts, as of the end of one reply and the start of the next. */
const PRIVATE_WINDOW_MAX = 5
const GROUP_WINDOW_MS = 60_000
/** Two less than Telegram allows, to leave room for what a person asks for. */
const GROUP_WINDOW_MAX = 18
const DOUBLE_SEND_MS = 10_000

export type CarelessRule =
  | 'edit-too-often'
  /** An edit that changes nothing. */
  | 'identical-edit'
  /** Before the time in a 429 has passed. */
  | 'call-during-ban'
  /** The same message twice, after the answer to the first one was lost or failed. */
  | 'double-send'
  /** A rich message without `skip_entity_detection`. */
  | 'entity-detection-on'

export interface CarelessCall {
  rule: CarelessRule
  call: RecordedCall
}

/** The calls that Telegram accepted, or refused for now, and that a careful bot would not have made. */
export function carelessCalls({ calls }: Pick<Playground, 'calls'>): CarelessCall[] {
  const found: CarelessCall[] = []
  for (const inChat of Map.groupBy(calls, ({ chatId }) => chatId).values()) {
    for (const [index, call] of inChat.entries()) {
      const rules = rulesBrokenBy(call, inChat.slice(0, index))
      found.push(...rules.map((rule) => ({ rule, call })))
    }
  }
  return found
}

function rulesBrokenBy(call: RecordedCall, before: readonly RecordedCall[]): CarelessRule[] {
  const kind = kindOf(call)
  if (kind === undefined) return []
  const { at, chatId, params, body } = call
  const rich = params.rich_message
  const refusal = body?.ok === false ? body.description : ''
  const isMany = (windowMs: number, max: number, kinds: readonly string[]) =>
    before.filter((one) => isDone(one) && at - one.at < windowMs && isOne(one, kinds)).length >= max
  const isTooOften =
    isDone(call) &&
    (chatId > 0
      ? kind === 'edit' && isMany(PRIVATE_WINDOW_MS, PRIVATE_WINDOW_MAX, ['edit'])
      : isOne(call, ['send', 'edit']) &&
        isMany(GROUP_WINDOW_MS, GROUP_WINDOW_MAX, ['send', 'edit']))
  const broken: [CarelessRule, boolean][] = [
    ['call-during-ban', before.some((one) => isBan(one, call))],
    ['entity-detection-on', rich !== undefined && !/"skip_entity_detection":\s*true/.test(rich)],
    ['identical-edit', refusal.includes('message is not modified')],
    ['double-send', kind === 'send' && isRepeat(call, before)],
    ['edit-too-often', isTooOften],
  ]
  return broken.flatMap(([rule, isBroken]) => (isBroken ? [rule] : []))
}

/** Checks whether an earlier 429 closes the chat for a call. */
function isBan(earlier: RecordedCall, { at, ...call }: RecordedCall): boolean {
  const { body, durationMs = Number.POSITIVE_INFINITY } = earlier
  if (body?.ok !== false || body.error_code !== 429) return false
  const bucketOf = (one: Pick<RecordedCall, 'method'>) => isOne(one, ['send', 'edit'])
  const isKnown = earlier.at + durationMs <= at
  const until = earlier.at + (body.parameters?.retry_after ?? 1) * 1000
  return isKnown && at < until && bucketOf(earlier) === bucketOf(call)
}

function isRepeat(call: RecordedCall, before: readonly RecordedCall[]): boolean {
  const contentOf = ({ params }: RecordedCall) =>
    [params.message_thread_id, params.text, params.rich_message].join('\n')
  const last = before.findLast((one) => isOne(one, ['send']))
  const isSame = last !== undefined && contentOf(last) === contentOf(call)
  if (!isSame || call.at - last.at > DOUBLE_SEND_MS) return false
  return last.fault !== undefined && isDone(last) && isDone(call)
}

function isDone({ body }: RecordedCall): boolean {
  return body?.ok === true
}

function isOne(call: Pick<RecordedCall, 'method'>, kinds: readonly string[]): boolean {
  return kinds.includes(kindOf(call) ?? '')
}

function kindOf({ method }: Pick<RecordedCall, 'method'>): 'send' | 'edit' | 'typing' | undefined {
  if (method === 'sendChatAction') return 'typing'
  if (method.startsWith('send')) return 'send'
  return method.startsWith('editMessage') ? 'edit' : undefined
}
