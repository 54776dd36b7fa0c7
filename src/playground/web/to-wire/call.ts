import type { Clock } from '../../../time/clock.ts'
import type { RecordedCall } from '../../checks/call-log.ts'
import type { Lint, LintRule } from '../../checks/lints.ts'
import type { WireCall, WireLint } from '../api.ts'

const VALUE_CHARS_MAX = 2_000
const SECRETS = new Set(['secret_token', 'certificate'])

/** Turns an instant of the playground's clock into Unix time in milliseconds. */
export function toUnixMs(at: number, clock: Clock): number {
  return Math.round(clock.date().getTime() - (clock.now() - at))
}

/** A call without the token, which bots have in the addresses of their webhooks. */
export function toWireCall(
  call: RecordedCall,
  { token, clock }: { token: string; clock: Clock },
): WireCall {
  const { seq, method, chatId, params, files, status, durationMs, heldMs, body, fault } = call
  const refused = body?.ok === false ? body : undefined
  const retryAfter = refused?.parameters?.retry_after
  return {
    seq,
    at: toUnixMs(call.at, clock),
    method,
    chat_id: chatId,
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name,
        SECRETS.has(name) ? '…' : shorten(value, token),
      ]),
    ),
    files: files.map(({ name, fileName, mime, size }) => ({
      name,
      file_name: fileName,
      mime,
      size,
    })),
    status: status ?? null,
    duration_ms: durationMs === undefined ? null : Math.round(durationMs),
    held_ms: Math.round(heldMs),
    ...(body?.ok && { result: shorten(JSON.stringify(body.result), token) }),
    ...(refused && { description: refused.description }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(fault !== undefined && { fault }),
  }
}

function shorten(value: string, token: string): string {
  const kept = value.length > VALUE_CHARS_MAX ? `${value.slice(0, VALUE_CHARS_MAX)}…` : value
  return kept.replaceAll(token, '…')
}

/** What is wrong with it, in a sentence. */
const LINT_TEXTS: Readonly<Record<LintRule, string>> = {
  'edit-too-often':
    'More than 5 edits in 5 s in a private chat, or more than 18 messages and edits a minute in a group.',
  'identical-edit': 'An edit that changes nothing.',
  'call-during-ban': 'Called before the time that the 429 named was over, which prolongs it.',
  'send-after-403': 'Sent to a chat that refused the bot and has not taken it back.',
  'draft-gap': 'The draft had faded before its next frame: more than 30 s went by.',
  'draft-after-stop': 'A frame of a draft that its reader has stopped.',
  'stop-unheard':
    'The draft can be stopped, and allowed_updates lacks stopped_message_generation: the bot will not hear of it.',
  'double-send':
    'The same message twice within 10 s, after the answer to the first was lost or failed.',
  'entity-detection-on':
    'A rich message without skip_entity_detection: what looks like a link or a command becomes one.',
}

export function toWireLint({ seq, at, rule, method, chatId }: Lint, clock: Clock): WireLint {
  return { seq, at: toUnixMs(at, clock), rule, text: LINT_TEXTS[rule], method, chat_id: chatId }
}
