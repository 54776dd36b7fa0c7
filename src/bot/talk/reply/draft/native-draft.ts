import type { Clock } from '../../../../platform/time/clock.ts'
import type { ChatThread } from '../../../telegram/addressing/chat-thread.ts'
import type { Body } from '../../../telegram/outbox/body.ts'
import type { DraftOutcome, Outbox } from '../../../telegram/outbox/outbox.ts'
import { isSameBody } from './bodies.ts'

/** A draft of Telegram's fades 30 s after its last frame. */
const REFRESH_MS = 20_000
/** A frame for which there was no room is tried again. */
const RETRY_MS = 2_000

export interface NativeDraftDeps {
  outbox: Pick<Outbox, 'draft'>
  clock: Clock
  signal: AbortSignal
}

/**
 * Shows the text that is being written below the messages of a private chat, as Telegram's own draft.
 *
 * @param draftId Not zero.
 */
export function createNativeDraft(
  { outbox, clock, signal }: NativeDraftDeps,
  { chatId, threadId, draftId }: ChatThread & { draftId: number },
) {
  let isUsable = true
  let isSeen = false
  let tried: Body | undefined
  let dueAt: number | undefined
  return {
    /** Returns whether there are drafts, as far as is known. */
    isUsable: () => isUsable,
    isDue,
    /** Returns the time when the frame in view has to be shown again; undefined if none is. */
    dueAt: () => dueAt,
    show,
    clear,
  }

  /** Checks whether a body is to be shown, be it to keep it in view. */
  function isDue(body: Body): boolean {
    return !isSameBody(tried, body) || dueAt === undefined || clock.now() >= dueAt
  }

  /**
   * Shows the newest body if there is room.
   *
   * @param newest Asked when the frame's turn comes.
   * @param onAttempt Called before the frame is shown, which waits for it.
   * @param overtaken Resolves when the frame is not wanted any more. One on its way is heard out: it
   *   must not come after the message that replaces it.
   * @throws The errors of `Outbox.draft()`.
   */
  async function show(
    newest: () => Body,
    { onAttempt, overtaken }: { onAttempt: () => Promise<void>; overtaken: Promise<unknown> },
  ): Promise<DraftOutcome> {
    const waiting = new AbortController()
    tried = undefined
    let startedAt = clock.now()
    const body = () => {
      startedAt = clock.now()
      tried = newest()
      return tried
    }
    void overtaken.then(() => {
      if (tried === undefined) waiting.abort()
    })
    let outcome: DraftOutcome = 'dropped'
    try {
      outcome = await outbox.draft(
        { chatId, threadId, draftId, body, onAttempt, isFirst: !isSeen },
        { signal: AbortSignal.any([signal, waiting.signal]) },
      )
    } finally {
      tried ??= newest()
      // Its answer may take long, and how much of that time the frame was seen is not known.
      dueAt = outcome === 'dropped' ? clock.now() + RETRY_MS : startedAt + REFRESH_MS
    }
    isUsable = outcome !== 'unsupported'
    if (outcome === 'shown') isSeen = true
    return outcome
  }

  /** Forgets the frame in view, after a message has replaced it. */
  function clear(): void {
    isSeen = false
    tried = undefined
    dueAt = undefined
  }
}

export type NativeDraft = ReturnType<typeof createNativeDraft>
