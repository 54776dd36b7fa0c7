import type { HistoryAnswer, WireMessage } from '../../web/api.ts'

type History = HistoryAnswer
type ReplyMessage = NonNullable<WireMessage['message']['reply_to_message']>

export function withMessage(history: History, wire: WireMessage): History {
  const id = idOf(wire)
  const messages = quoteAnew(history.messages, wire)
  const at = messages.findIndex((other) => idOf(other) >= id)
  const isKnown = at !== -1 && idOf(messages[at]) === id
  // A changed message that is not loaded comes with its page later; added now, it would hide a gap.
  if (at === 0 && !isKnown && history.has_more) return { ...history, messages }
  const index = at === -1 ? messages.length : at
  return { ...history, messages: messages.toSpliced(index, isKnown ? 1 : 0, wire) }
}

export function withoutMessages(history: History, ids: readonly number[]): History {
  return { ...history, messages: history.messages.filter((wire) => !ids.includes(idOf(wire))) }
}

export function withOlder(history: History, older: History): History {
  const first = history.messages[0]
  const before = older.messages.filter((wire) => first === undefined || idOf(wire) < idOf(first))
  return { ...older, messages: [...before, ...history.messages] }
}

/** Takes the last messages after a break. Older loaded messages stay if none is missing between. */
export function afterBreak(history: History | undefined, last: History): History {
  const first = idOf(last.messages[0])
  const at = history?.messages.findIndex((wire) => idOf(wire) === first) ?? -1
  if (history === undefined || at <= 0) return last
  return { ...history, messages: [...history.messages.slice(0, at), ...last.messages] }
}

function idOf(wire: WireMessage | undefined): number {
  return wire?.message.message_id ?? 0
}

/** Updates the quotes of a message in its replies, as Telegram's clients do; other messages stay the same objects. */
function quoteAnew(list: WireMessage[], { message }: WireMessage): WireMessage[] {
  const quotes = (wire: WireMessage) =>
    wire.message.reply_to_message?.message_id === message.message_id
  if (!list.some(quotes)) return list
  // The type asks for an explicit `undefined` inside, which strict optional fields cannot hold.
  const quoted = { ...message, reply_to_message: undefined } as ReplyMessage
  return list.map((wire) =>
    quotes(wire) ? { ...wire, message: { ...wire.message, reply_to_message: quoted } } : wire,
  )
}
