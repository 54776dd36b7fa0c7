import type { Chat } from 'grammy/types'
import type { Clock } from '../../platform/time/clock.ts'
import type { UpdateQueue } from '../updates/update-queue.ts'
import type { Content } from './message.ts'
import type { World } from './world.ts'

/** How long a draft shows after its last frame. */
export const DRAFT_VISIBLE_MS = 30_000
const FRAMES_MAX = 10_000
/** Each frame has the whole draft, so that those of long ones are fewer. */
const FRAMES_CHARS_MAX = 8_000_000

/** One picture of a draft, as its reader has it for a moment. */
export interface PlaygroundDraft extends Content {
  chatId: number
  /** 0 outside of topics. */
  threadId: number
  /** An integer of 64 bits, as digits. */
  draftId: string
  canStop: boolean
  keepOnStop: boolean
  /** Milliseconds by the playground's clock, as in every record. */
  at: number
}

/**
 * Drafts that show for 30 s after their last frame or until the next message of the bot, one in each
 * chat or topic. They are no messages: no id, no history.
 */
export function createDraftStore(deps: { world: World; queue: UpdateQueue; clock: Clock }) {
  const { world, queue, clock } = deps
  /** The last draft of each chat or topic since the bot's last message there. */
  const lastByThread = new Map<string, PlaygroundDraft>()
  const stopped = new Set<string>()
  /** The last frames of the drafts that were shown, oldest first. */
  const draftFrames: PlaygroundDraft[] = []
  let framesChars = 0
  return { draftFrames, show, clear, last, visibleDraft, pendingDrafts, pressStop, isStopped }

  /** Replaces the draft before by a frame, unless its reader has stopped it. */
  function show(frame: Omit<PlaygroundDraft, 'at'>): void {
    if (isStopped(frame)) return
    const draft = { ...frame, at: clock.now() }
    draftFrames.push(draft)
    framesChars += draft.text.length
    while (draftFrames.length > FRAMES_MAX || framesChars > FRAMES_CHARS_MAX) {
      framesChars -= draftFrames.shift()?.text.length ?? 0
    }
    lastByThread.set(threadKeyOf(draft), draft)
  }

  /** Ends a draft, since a message of the bot replaces it. */
  function clear(chatId: number, threadId: number): void {
    lastByThread.delete(threadKeyOf({ chatId, threadId }))
  }

  function last(chatId: number, threadId: number): PlaygroundDraft | undefined {
    return lastByThread.get(threadKeyOf({ chatId, threadId }))
  }

  /** The draft that shows at this moment in a private chat, or in one topic of it. */
  function visibleDraft(chatId: number, threadId = 0): PlaygroundDraft | undefined {
    const draft = last(chatId, threadId)
    if (draft === undefined || clock.now() >= draft.at + DRAFT_VISIBLE_MS) return undefined
    return isStopped(draft) && !draft.keepOnStop ? undefined : draft
  }

  /** Drafts that no message has followed yet, visible or faded. */
  function pendingDrafts(): PlaygroundDraft[] {
    return [...lastByThread.values()]
  }

  /**
   * Presses the button that stops the draft.
   *
   * @returns The id of the draft.
   */
  function pressStop(chatId: number, threadId = 0): string {
    const draft = visibleDraft(chatId, threadId)
    if (draft === undefined) throw new Error(`Cannot stop: chat ${chatId} shows no draft`)
    const { draftId } = draft
    if (!draft.canStop || isStopped(draft)) {
      throw new Error(`Cannot stop: draft ${draftId} has no button for it`)
    }
    stopped.add(keyOf(draft))
    const chat = world.chatOf(chatId)
    chat.lastIncomingAt = clock.now()
    queue.enqueue({
      stopped_message_generation: {
        // Drafts are shown in private chats alone.
        chat: chat.shown as Chat.PrivateChat,
        ...(threadId !== 0 && { message_thread_id: threadId }),
        draft_id: Number(draftId),
      },
    })
    return draftId
  }

  function isStopped(draft: DraftKey): boolean {
    return stopped.has(keyOf(draft))
  }
}

export type DraftStore = ReturnType<typeof createDraftStore>

type DraftKey = Pick<PlaygroundDraft, 'chatId' | 'threadId' | 'draftId'>

function threadKeyOf({ chatId, threadId }: Omit<DraftKey, 'draftId'>): string {
  return `${chatId} ${threadId}`
}

function keyOf(draft: DraftKey): string {
  return `${threadKeyOf(draft)} ${draft.draftId}`
}
