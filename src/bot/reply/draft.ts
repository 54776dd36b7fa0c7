import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Place } from '../conversation/conversations.ts'
import type { Clock } from '../telegram/clock.ts'
import { SendOutcomeUnknownError } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/outbox.ts'
import { MESSAGE_CHARS_MAX, splitText, type TextPart } from '../telegram/split-text.ts'

/** Leaves room for the note in front of a message that may be there twice. */
const PART_CHARS_MAX = MESSAGE_CHARS_MAX - 96

/** A message whose outcome is unknown again and again is given up: each of them may be in the chat. */
const UNKNOWN_SENDS_MAX = 5
const UNKNOWN_DELAY_MS = 1000

export interface Shown {
  messageIds: number[]
  /** The text that stands in the chat, from its beginning. */
  shownText: string
}

export interface DraftDeps {
  outbox: Pick<Outbox, 'send' | 'edit'>
  clock: Clock
  /** Told after every change in the chat; the next one waits for it. */
  onShown: (shown: Shown) => Promise<void>
  signal: AbortSignal
}

export interface DraftOptions extends Place {
  /** The messages that show the beginning already. */
  messageIds?: readonly number[]
  /** The message that the first one answers, if that is to be seen. */
  replyToMessageId?: number | undefined
  /** Stands below the last message until the whole text does. */
  keyboard?: InlineKeyboardMarkup | undefined
  /** Stands in front of a text that was sent before with an unknown outcome. At most 90 characters. */
  maybeDoubleNote: string
}

/** A reply that is being written in a chat. */
export interface Draft {
  /** Shows a line where the reply will begin, as long as there is none of it. Never waits and never throws. */
  announce(line: string): void
  /** Takes a longer text. Never waits and never throws. */
  grow(text: string): void
  /**
   * Takes the whole text and waits until all of it is shown.
   *
   * @param keyboard Stands below the last message from then on.
   * @throws Whatever kept it from being shown, now or earlier.
   */
  finish(text: string, keyboard?: InlineKeyboardMarkup): Promise<void>
  /** Once the signal has aborted: waits until nothing is on its way to the chat, and all is noted. */
  rest(): Promise<void>
}

/** One message of the reply. */
interface DraftMessage {
  id?: number
  /** What it shows; missing where that is not known. */
  text?: string
  /** The one that was shown with this text. */
  keyboard?: InlineKeyboardMarkup | undefined
  /** The text of the last edit for which there was no room. */
  droppedText?: string
  /** Sends of it that had no known outcome. */
  unknownSends: number
}

/** What one message is to show. */
interface Look {
  part: TextPart | undefined
  keyboard: InlineKeyboardMarkup | undefined
}

/**
 * Brings a chat towards a growing text: the first message with the first word, then edits with the
 * newest text as often as there is room, a next message where one is full. Only `finish()` insists.
 *
 * A message that may have been sent is not sent again while the text grows. With the whole text it
 * is, below a note that it may stand there twice.
 */
export function createDraft(
  { outbox, clock, onShown, signal }: DraftDeps,
  options: DraftOptions,
): Draft {
  const { chatId, threadId, messageIds = [], replyToMessageId, maybeDoubleNote } = options
  let { keyboard } = options
  const messages: DraftMessage[] = messageIds.map((id) => ({ id, unknownSends: 0 }))
  /** Parts that stay where they are. */
  const settled: TextPart[] = []
  let text = ''
  /** Empty while there is none; missing once it is not known whether one stands in the chat. */
  let announced: string | undefined = ''
  let isWhole = false
  const whole = Promise.withResolvers<'overtaken'>()
  let shownChars = 0
  let changed = Promise.withResolvers<void>()
  const pumped = pump()
  // `finish()` hands on what went wrong.
  pumped.catch(() => {})
  signal.addEventListener('abort', () => changed.resolve(), { once: true })
  return { announce, grow, finish, rest: () => pumped.catch(() => {}) }

  function announce(line: string): void {
    if (announced === undefined) return
    announced = line
    changed.resolve()
  }

  function grow(longer: string): void {
    text = longer
    changed.resolve()
  }

  async function finish(wholeText: string, finalKeyboard?: InlineKeyboardMarkup): Promise<void> {
    isWhole = true
    keyboard = finalKeyboard
    whole.resolve('overtaken')
    grow(wholeText)
    await pumped
  }

  async function pump(): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      changed = Promise.withResolvers()
      const index = findBehind(layOut())
      if (index !== undefined) await advance(index)
      else if (isWhole) return
      else await changed.promise
    }
  }

  function layOut(): TextPart[] {
    if (text === '' && announced) return [toAnnouncement(announced)]
    const last = settled.at(-1)
    const fresh = splitText(text, {
      charsMax: PART_CHARS_MAX,
      ...(last !== undefined && { after: last }),
    })
    settled.push(...fresh.slice(0, -1))
    return [...settled, ...fresh.slice(-1)]
  }

  /** The first part that is not shown as it should be and can be by now. */
  function findBehind(parts: readonly TextPart[]): number | undefined {
    const index = parts.findIndex(
      (part, at) =>
        messages[at]?.text !== part.text || messages[at]?.keyboard !== keyboardAt(at, parts),
    )
    const part = parts[index]
    if (part === undefined || isWhole) return part && index
    const { unknownSends = 0, droppedText } = messages[index] ?? {}
    const mustWait = unknownSends > 0 || (isLast(index, parts) && droppedText === part.text)
    return mustWait ? undefined : index
  }

  function keyboardAt(index: number, parts: readonly TextPart[]): InlineKeyboardMarkup | undefined {
    return isLast(index, parts) ? keyboard : undefined
  }

  async function advance(index: number): Promise<void> {
    const parts = layOut()
    const message = messages[index] ?? { unknownSends: 0 }
    messages[index] = message
    const shown = { part: parts[index], keyboard: keyboardAt(index, parts) }
    if (message.id === undefined) await send(message, { ...shown, isFirst: index === 0 })
    else if (isWhole || !isLast(index, parts)) await edit(message, message.id, shown)
    else await tryEdit(message, message.id, index)
  }

  async function send(
    message: DraftMessage,
    { part, keyboard, isFirst }: Look & { isFirst: boolean },
  ): Promise<void> {
    if (part === undefined) return
    if (message.unknownSends > 0) {
      await clock.sleep(UNKNOWN_DELAY_MS * 2 ** message.unknownSends, signal)
    }
    const isMaybeDouble = message.unknownSends > 0
    const shown = isMaybeDouble ? `${maybeDoubleNote}\n\n${part.text}` : part.text
    try {
      const outgoing = {
        chatId,
        threadId,
        text: shown,
        keyboard,
        ...(isFirst && { replyToMessageId }),
      }
      const { messageId } = await outbox.send(outgoing, { signal })
      message.id = messageId
      message.unknownSends = 0
      await note(message, part, keyboard)
    } catch (error) {
      const isUnknown = error instanceof SendOutcomeUnknownError
      // Nothing of the reply is lost with an announcement: the reply begins below it.
      if (isUnknown && isAnnouncement(part)) announced = undefined
      else if (!isUnknown || ++message.unknownSends >= UNKNOWN_SENDS_MAX) throw error
    }
  }

  /** Completes a message. */
  async function edit(
    message: DraftMessage,
    messageId: number,
    { part, keyboard }: Look,
  ): Promise<void> {
    if (part === undefined) return
    const target = { chatId, messageId }
    const outcome = await outbox.edit(target, part.text, { keyboard, final: true, signal })
    if (outcome === 'shown') await note(message, part, keyboard)
    else forget(message)
  }

  /** Shows the newest text if there is room. */
  async function tryEdit(message: DraftMessage, messageId: number, index: number): Promise<void> {
    let part: TextPart | undefined
    const newest = () => {
      part = layOut()[index]
      return part?.text ?? ''
    }
    const shown = keyboard
    const target = { chatId, messageId }
    const edited = outbox.edit(target, newest, { keyboard: shown, final: false, signal })
    // The whole text does not wait for this edit's turn: it takes it, or follows if it is on its way.
    const outcome = await Promise.race([edited, whole.promise])
    if (outcome === 'overtaken') edited.catch(() => {})
    else if (outcome === 'gone') forget(message)
    else if (outcome === 'shown' && part !== undefined) await note(message, part, shown)
    else message.droppedText = (part ?? layOut()[index])?.text ?? ''
  }

  async function note(
    message: DraftMessage,
    part: TextPart,
    shownKeyboard: InlineKeyboardMarkup | undefined,
  ): Promise<void> {
    message.text = part.text
    message.keyboard = shownKeyboard
    shownChars = Math.max(shownChars, part.end)
    const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
    await onShown({ messageIds: ids, shownText: text.slice(0, shownChars) })
  }
}

function toAnnouncement(text: string): TextPart {
  return { start: 0, end: 0, text, cutsLine: false }
}

function isAnnouncement({ end }: TextPart): boolean {
  return end === 0
}

/** A message that was deleted is sent anew. */
function forget(message: DraftMessage): void {
  delete message.id
  delete message.text
}

function isLast(index: number, parts: readonly TextPart[]): boolean {
  return index === parts.length - 1
}
