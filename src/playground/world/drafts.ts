import type { MessageEntity } from 'grammy/types'
import type { Clock } from '../../time/clock.ts'
import type { Changes } from '../updates/changes.ts'
import type { UpdateQueue } from '../updates/update-queue.ts'
import { toPrivateChat } from './to-chat.ts'
import { type PlaygroundRich, toRich } from './transcript.ts'
import { type Content, formattedOf, type StoredChat, type World } from './world.ts'

/** How long a draft shows after its last frame. */
const VISIBLE_MS = 30_000
const FRAMES_MAX = 10_000

/** One picture of a draft, as its reader has it for a moment. */
export interface PlaygroundDraft {
  chatId: number
  /** 0 outside of topics. */
  threadId: number
  /** An integer of 64 bits, as digits. */
  draftId: string
  /** Empty while the bot thinks. Of a rich draft, what its reader sees without the looks. */
  text: string
  entities: readonly MessageEntity[]
  rich?: PlaygroundRich
  canStop: boolean
  keepOnStop: boolean
  /** By the playground's clock, as in every record. */
  at: number
}

export interface GivenFrame {
  chat: StoredChat
  threadId: number
  draftId: string
  content: Exclude<Content, { kind: 'media' | 'service' }>
  canStop: boolean
  keepOnStop: boolean
}

/** What a chat or topic shows at the moment, and what was stopped there. */
interface Shown {
  draft: PlaygroundDraft
  isStopped: boolean
  isHidden: boolean
}

/**
 * Drafts that show for 30 s after their last frame or until the next message of the bot, one in each
 * chat or topic. They are no messages: no id, no history.
 */
export function createDraftStore(deps: {
  world: World
  queue: UpdateQueue
  changes: Changes
  clock: Clock
}) {
  const { world, queue, changes, clock } = deps
  const shown = new Map<string, Shown>()
  const stopped = new Set<string>()
  const frames: PlaygroundDraft[] = []
  return { frames, show, clear, visible, pending, pressStop, isStopped }

  /** Shows a frame in the place of the draft before, unless its reader has stopped it. */
  function show(frame: GivenFrame): void {
    const draft = toDraft(frame, clock.now())
    if (stopped.has(keyOf(draft))) return
    frames.push(draft)
    if (frames.length > FRAMES_MAX) frames.shift()
    shown.set(threadKeyOf(draft), { draft, isStopped: false, isHidden: false })
    changes.emit({ kind: 'draft', chatId: draft.chatId, draftId: draft.draftId })
  }

  /** A message of the bot takes the place of its draft. */
  function clear(chatId: number, threadId: number): void {
    shown.delete(threadKeyOf({ chatId, threadId }))
  }

  function visible(chatId: number, threadId = 0): PlaygroundDraft | undefined {
    return visibleIn(threadKeyOf({ chatId, threadId }))?.draft
  }

  /** Drafts that no message has followed yet, whether they still show or have faded. */
  function pending(): PlaygroundDraft[] {
    return [...shown.values()].map(({ draft }) => draft)
  }

  function visibleIn(threadKey: string): Shown | undefined {
    const found = shown.get(threadKey)
    const isFaded = found === undefined || clock.now() >= found.draft.at + VISIBLE_MS
    return isFaded || found.isHidden ? undefined : found
  }

  /**
   * Presses the button that stops the draft.
   *
   * @returns The id of the draft.
   */
  function pressStop(chatId: number, threadId = 0): string {
    const threadKey = threadKeyOf({ chatId, threadId })
    const found = visibleIn(threadKey)
    if (found === undefined) throw new Error(`Cannot stop: chat ${chatId} shows no draft`)
    const { draft } = found
    if (!draft.canStop || found.isStopped) {
      throw new Error(`Cannot stop: draft ${draft.draftId} has no button for it`)
    }
    found.isStopped = true
    stopped.add(keyOf(draft))
    if (!draft.keepOnStop) found.isHidden = true
    const chat = world.chatOf(chatId)
    chat.lastIncomingAt = clock.now()
    queue.enqueue({
      stopped_message_generation: {
        chat: toPrivateChat(chat, world.people),
        ...(threadId !== 0 && { message_thread_id: threadId }),
        draft_id: Number(draft.draftId),
      },
    })
    return draft.draftId
  }

  function isStopped(draft: Pick<PlaygroundDraft, 'chatId' | 'threadId' | 'draftId'>): boolean {
    return stopped.has(keyOf(draft))
  }
}

export type DraftStore = ReturnType<typeof createDraftStore>

function toDraft(frame: GivenFrame, at: number): PlaygroundDraft {
  const { chat, content, ...rest } = frame
  return {
    ...rest,
    ...formattedOf(content),
    ...(content.kind === 'rich' && { rich: toRich(content) }),
    chatId: chat.id,
    at,
  }
}

function threadKeyOf({ chatId, threadId }: { chatId: number; threadId: number }): string {
  return `${chatId} ${threadId}`
}

function keyOf(draft: Pick<PlaygroundDraft, 'chatId' | 'threadId' | 'draftId'>): string {
  return `${threadKeyOf(draft)} ${draft.draftId}`
}
