import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Logger } from 'pino'
import { backoffMs } from '../../../time/backoff.ts'
import type { Clock } from '../../../time/clock.ts'
import type { ChatThread } from '../../addressing/chat-thread.ts'
import { SendOutcomeUnknownError } from '../../telegram/errors.ts'
import type { Body } from '../../telegram/outbox/body.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import { isSameBody, withNoteAbove } from './bodies.ts'
import { createReplyLayout, type ReplyPart, type ReplyText } from './lay-out-reply.ts'
import { createNativeDraft, type NativeDraft } from './native-draft.ts'
import { createReplyFormatting } from './reply-formatting.ts'
import type { RichSupport } from './rich-support.ts'

/** A send whose outcome is unknown is repeated ever more slowly: each of them may be in the chat. */
const UNKNOWN_BACKOFF = { firstMs: 2000, maxMs: 120_000 }
/** A chat that has no room for an edit is asked again after a moment, however fast the text grows. */
const DROPPED_PAUSE_MS = 500
/** Stands where a message had shown what is in another one now. */
const NOTHING: Body = { text: '…' }

export interface Shown {
  messageIds: number[]
  /** The text that stands in the chat, from its beginning. */
  shownText: string
}

export interface DraftDeps {
  outbox: Pick<Outbox, 'send' | 'edit' | 'draft'>
  clock: Clock
  richSupport: RichSupport
  log: Logger
  /** Told before a message is sent, which waits for it: from then on it may stand in the chat. */
  onSending: () => Promise<void>
  /** Told after every change in the chat; the next one waits for it. */
  onShown: (shown: Shown) => Promise<void>
  signal: AbortSignal
}

export interface DraftOptions extends ChatThread {
  /** The messages that show the beginning already. */
  messageIds?: readonly number[]
  /** Whether one more may stand behind them: an earlier run died while it was being sent. */
  mayHaveSent?: boolean | undefined
  /** The message that the first one answers, if that is to be seen. */
  replyToMessageId?: number | undefined
  /** Stands below the last message until the whole text does. */
  keyboard?: InlineKeyboardMarkup | undefined
  /** Stands in front of a text that was sent before with an unknown outcome. At most 90 characters. */
  maybeDoubleNote: string
  /** Where the text grows in a draft of Telegram's, and becomes a message in the end: its id, not zero. */
  nativeDraftId?: number | undefined
}

/** A reply that is being written in a chat. */
export interface Draft {
  /** Shows a line where the reply will begin, as long as there is none of it. Never waits and never throws. */
  announce(line: string): void
  /** Takes a longer text. Never waits and never throws. */
  grow(text: string): void
  /**
   * Takes the whole reply and waits until all of it is shown.
   *
   * @param keyboard Stands below the last message from then on.
   * @throws Whatever kept it from being shown, now or earlier.
   */
  finish(whole: ReplyText, keyboard?: InlineKeyboardMarkup): Promise<void>
  /** Once the signal has aborted: waits until nothing is on its way to the chat, and all is noted. */
  rest(): Promise<void>
}

/** One message of the reply. */
interface DraftMessage {
  id?: number
  /** What it shows; missing where that is not known. */
  body?: Body
  /** The one that was shown with it. */
  keyboard?: InlineKeyboardMarkup | undefined
  /** What had no room, or was refused, as a text that goes on. */
  skipped?: Body
  /** Sends of it that had no known outcome. */
  unknownSends: number
}

type Part = ReplyPart & { isAnnouncement?: boolean }

/** What one message is to show. */
interface Look {
  part: Part
  keyboard: InlineKeyboardMarkup | undefined
}

/**
 * Brings a chat towards a growing text: the first message with the first word, then edits with the
 * newest text as often as there is room, a next message where one is full. Only `finish()` insists.
 *
 * A message that may have been sent is not sent again while the text grows. With the whole text it
 * is, below a note that it may stand there twice.
 */
export function createDraft(deps: DraftDeps, options: DraftOptions): Draft {
  const { outbox, clock, onSending, onShown, signal } = deps
  const { chatId, threadId, messageIds = [], replyToMessageId, maybeDoubleNote } = options
  const { nativeDraftId: draftId } = options
  let { keyboard } = options
  const messages: DraftMessage[] = messageIds.map((id) => ({ id, unknownSends: 0 }))
  if (options.mayHaveSent) messages.push({ unknownSends: 1 })
  const formatting = createReplyFormatting(deps)
  const layOutReply = createReplyLayout()
  const native =
    draftId === undefined ? undefined : createNativeDraft(deps, { chatId, threadId, draftId })
  let reply: ReplyText = { text: '' }
  /** Empty while there is none; missing once it is not known whether one stands in the chat. */
  let announced: string | undefined = ''
  let isWhole = false
  const whole = Promise.withResolvers<'overtaken'>()
  let shownChars = 0
  let changed = Promise.withResolvers<void>()
  const wake = () => changed.resolve()
  signal.addEventListener('abort', wake)
  // A signal keeps all that it would wake for as long as the process lives.
  const pumped = pump().finally(() => signal.removeEventListener('abort', wake))
  // `finish()` hands on what went wrong.
  pumped.catch(() => {})
  return { announce, grow, finish, rest: () => pumped.catch(() => {}) }

  function announce(line: string): void {
    if (announced === undefined) return
    announced = line
    changed.resolve()
  }

  function grow(text: string): void {
    reply = { text }
    changed.resolve()
  }

  async function finish(wholeReply: ReplyText, finalKeyboard?: InlineKeyboardMarkup) {
    isWhole = true
    keyboard = finalKeyboard
    reply = wholeReply
    whole.resolve('overtaken')
    changed.resolve()
    await pumped
  }

  async function pump(): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      changed = Promise.withResolvers()
      const parts = layOut()
      const index = parts.findIndex((part, at) => isBehind(part, at, parts))
      if (index >= 0) await tryAdvance(index, parts)
      else if (isWhole) return clearLeftovers(parts.length)
      else {
        await untilChanged(parts)
        if (growsIn(parts)) await tryAdvance(parts.length - 1, parts)
      }
    }
  }

  /**
   * Whether a longer text shows in the last message by an edit. It is laid out when the edit's turn
   * comes and not before: while many replies grow, most of the texts between are never shown.
   */
  function growsIn(parts: readonly Part[]): boolean {
    const index = parts.length - 1
    const hasMessage = messages[index]?.id !== undefined
    return hasMessage && !isWhole && !signal.aborted && draftFor(index, parts) === undefined
  }

  /** What the chat is to show by now, as far as it can. */
  function layOut(): readonly Part[] {
    const parts = layOutReply(reply, { formatting: formatting.current(), isInterim: !isWhole })
    if (isWhole) return parts
    if (parts.length === 0 && announced) {
      return [{ end: 0, body: { text: announced }, isAnnouncement: true }]
    }
    // No message goes below one that may be missing; a draft does.
    const unknown = messages.findIndex(
      ({ id, unknownSends }) => id === undefined && unknownSends > 0,
    )
    return unknown < 0 ? parts : parts.slice(0, unknown + (native?.isUsable() ? 2 : 1))
  }

  /** Whether a part is not shown as it should be and can be by now. */
  function isBehind(part: Part, index: number, parts: readonly Part[]): boolean {
    const draft = draftFor(index, parts)
    if (draft !== undefined) return draft.isDue(part.body)
    const message = messages[index]
    const isShown =
      isSameBody(message?.body, part.body) && message?.keyboard === keyboardAt(index, parts)
    if (isShown || isWhole) return !isShown
    const { unknownSends = 0, skipped } = message ?? {}
    return unknownSends === 0 && !(isLast(index, parts) && isSameBody(skipped, part.body))
  }

  /** The draft of Telegram's that shows the part for now. */
  function draftFor(index: number, parts: readonly Part[]): NativeDraft | undefined {
    const isGrowing = !isWhole && isLast(index, parts) && messages[index]?.id === undefined
    return isGrowing && native?.isUsable() ? native : undefined
  }

  function keyboardAt(index: number, parts: readonly Part[]): InlineKeyboardMarkup | undefined {
    return isLast(index, parts) ? keyboard : undefined
  }

  async function tryAdvance(index: number, parts: readonly Part[]): Promise<void> {
    const isInterim = !isWhole && isLast(index, parts)
    try {
      await advance(index, parts)
    } catch (error) {
      signal.throwIfAborted()
      // Before the formatting changes: with another one the same text goes at once.
      skip(index)
      formatting.refused(error, { isInterim: isInterim && !isWhole })
    }
  }

  async function advance(index: number, parts: readonly Part[]): Promise<void> {
    const part = parts[index]
    if (part === undefined) return
    const message = messages[index] ?? { unknownSends: 0 }
    messages[index] = message
    const look = { part, keyboard: keyboardAt(index, parts) }
    const draft = draftFor(index, parts)
    if (draft !== undefined) await showDraft(draft, index)
    else if (message.id === undefined) await send(message, { ...look, isFirst: index === 0 })
    else if (isWhole || !isLast(index, parts)) await edit(message, message.id, look)
    else await tryEdit(message, message.id, index)
  }

  async function send(
    message: DraftMessage,
    { part, keyboard, isFirst }: Look & { isFirst: boolean },
  ): Promise<void> {
    const isMaybeDouble = message.unknownSends > 0
    if (isMaybeDouble) await clock.sleep(backoffMs(UNKNOWN_BACKOFF, message.unknownSends), signal)
    const body = isMaybeDouble ? withNoteAbove(part.body, maybeDoubleNote) : part.body
    try {
      const outgoing = { chatId, threadId, ...body, keyboard, ...(isFirst && { replyToMessageId }) }
      const { messageId } = await outbox.send(outgoing, { signal, onAttempt: onSending })
      message.id = messageId
      message.unknownSends = 0
      native?.clear()
      await note(message, { part, keyboard })
    } catch (error) {
      const isUnknown = error instanceof SendOutcomeUnknownError
      // Nothing of the reply is lost with an announcement: the reply begins below it.
      if (isUnknown && part.isAnnouncement) announced = undefined
      else if (isUnknown) message.unknownSends += 1
      else throw error
    }
  }

  /** Completes a message. */
  async function edit(message: DraftMessage, messageId: number, look: Look): Promise<void> {
    const target = { chatId, messageId }
    const { part, keyboard } = look
    const outcome = await outbox.edit(target, part.body, { keyboard, final: true, signal })
    if (outcome === 'shown') await note(message, look)
    else forget(message)
  }

  /** Shows the newest text if there is room. */
  async function tryEdit(message: DraftMessage, messageId: number, index: number): Promise<void> {
    let part: Part | undefined
    const newest = () => {
      part = layOut()[index]
      return part?.body ?? NOTHING
    }
    const isNeeded = () => {
      const parts = layOut()
      const behind = parts[index]
      return behind !== undefined && isBehind(behind, index, parts)
    }
    const look = { keyboard }
    const target = { chatId, messageId }
    const edited = outbox.edit(target, newest, { ...look, final: false, isNeeded, signal })
    // The whole text does not wait for this edit's turn: it takes it, or follows if it is on its way.
    const outcome = await Promise.race([edited, whole.promise])
    if (outcome === 'overtaken') edited.catch(() => {})
    else if (outcome === 'gone') forget(message)
    else if (outcome === 'shown' && part !== undefined) await note(message, { part, ...look })
    else if (outcome !== 'unneeded') await pauseAfterDrop(index)
  }

  async function showDraft(draft: NativeDraft, index: number): Promise<void> {
    let end = 0
    const newest = () => {
      const part = layOut()[index]
      end = part?.end ?? 0
      return part?.body ?? NOTHING
    }
    const outcome = await draft.show(newest, whole.promise)
    if (outcome === 'dropped') return pauseAfterDrop(index)
    if (outcome !== 'shown') return
    shownChars = Math.max(shownChars, end)
    await noteShown()
  }

  async function pauseAfterDrop(index: number): Promise<void> {
    skip(index)
    await until(clock.now() + DROPPED_PAUSE_MS, whole.promise)
  }

  /** Has a text that goes on wait for more of it. */
  function skip(index: number): void {
    const message = messages[index]
    const part = layOut()[index]
    if (message && part) message.skipped = part.body
  }

  async function note(message: DraftMessage, { part, keyboard }: Look): Promise<void> {
    message.body = part.body
    message.keyboard = keyboard
    shownChars = Math.max(shownChars, part.end)
    await noteShown()
  }

  async function noteShown(): Promise<void> {
    const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
    await onShown({ messageIds: ids, shownText: reply.text.slice(0, shownChars) })
  }

  /** Once everything is shown, no message is left with what stands in others by now. */
  async function clearLeftovers(count: number): Promise<void> {
    const leftovers = messages.splice(count)
    for (const { id } of leftovers) {
      if (id === undefined) continue
      await outbox.edit({ chatId, messageId: id }, NOTHING, { final: true, signal })
    }
    if (leftovers.some(({ id }) => id !== undefined)) await noteShown()
  }

  /** Waits for another text, or until the draft in view has to be shown again. */
  async function untilChanged(parts: readonly Part[]): Promise<void> {
    const [draft] = parts.map((_, index) => draftFor(index, parts)).slice(-1)
    await until(draft?.dueAt(), changed.promise)
  }

  async function until(at: number | undefined, event: Promise<unknown>): Promise<void> {
    if (at === undefined) return void (await event)
    const over = new AbortController()
    // The sleep ends with an abort when the event comes first.
    const either = AbortSignal.any([over.signal, signal])
    const slept = clock.sleep(Math.max(at - clock.now(), 0), either).catch(() => {})
    await Promise.race([slept, event])
    over.abort()
  }
}

/** A message that was deleted is sent anew. */
function forget(message: DraftMessage): void {
  delete message.id
  delete message.body
}

function isLast(index: number, parts: readonly unknown[]): boolean {
  return index === parts.length - 1
}
