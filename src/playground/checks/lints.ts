import type { UpdateQueue } from '../updates/update-queue.ts'
import type { DraftStore } from '../world/drafts.ts'
import type { World } from '../world/world.ts'
import type { RecordedCall } from './call-log.ts'
import type { LintRule } from './lint-rules.ts'

const LINTS_MAX = 10_000
const PRIVATE_WINDOW_MS = 5_000
/** One a second: Telegram bears short bursts, as of the end of one reply and the start of the next. */
const PRIVATE_WINDOW_MAX = 5
const GROUP_WINDOW_MS = 60_000
/** Two less than Telegram allows, to leave room for what a person asks for. */
const GROUP_WINDOW_MAX = 18
const DRAFT_GAP_MS = 30_000
const DOUBLE_SEND_MS = 10_000

export interface Lint {
  /** Counts the lints of this playground, from 1. */
  seq: number
  rule: LintRule
  at: number
  method: string
  chatId: number
}

/** The calls seen so far in one chat. */
interface ChatHistory {
  bannedUntil: { typing: number; message: number }
  isForbidden: boolean
  /** Edits of the last seconds. */
  editedAt: number[]
  /** Messages and edits of the last minute. */
  writtenAt: number[]
  lastSend: { content: string; at: number; hadFault: boolean } | undefined
}

/** Watches every call and records what a careful bot would not do. Nothing is refused for it. */
export function createLints(deps: { drafts: DraftStore; queue: UpdateQueue; world: World }) {
  const { drafts, queue, world } = deps
  const lints: Lint[] = []
  const histories = new Map<number, ChatHistory>()
  let count = 0
  return { lints, onCall, onAnswer }

  function record(rule: LintRule, { at, method, chatId }: RecordedCall): void {
    lints.push({ seq: ++count, rule, at, method, chatId })
    if (lints.length > LINTS_MAX) lints.shift()
  }

  /** Looks at a call before it is carried out. */
  function onCall(call: RecordedCall): void {
    const kind = kindOf(call)
    if (kind === undefined) return
    const history = historyOf(call.chatId)
    if (call.at < history.bannedUntil[bucketOf(kind)]) record('call-during-ban', call)
    if (history.isForbidden && isOut(call.chatId)) record('send-after-403', call)
    const rich = call.params.rich_message
    const detects = rich !== undefined && !/"skip_entity_detection":\s*true/.test(rich)
    if (detects) record('entity-detection-on', call)
    if (kind === 'draft') lookAtDraft(call)
  }

  function isOut(chatId: number): boolean {
    const person = world.people.get(chatId)
    const status = world.chats.get(chatId)?.botStatus
    const isUnwanted = person?.blockedBot === true || person?.deactivated === true
    return isUnwanted || status === 'kicked' || status === 'left'
  }

  function lookAtDraft(call: RecordedCall): void {
    const { at, chatId, params } = call
    const threadId = Number(params.message_thread_id ?? 0)
    const draftId = params.draft_id ?? ''
    const last = drafts.last(chatId, threadId)
    if (last?.draftId === draftId && at - last.at > DRAFT_GAP_MS) record('draft-gap', call)
    if (drafts.isStopped({ chatId, threadId, draftId })) record('draft-after-stop', call)
    if (params.can_stop === 'true' && !queue.isAllowed('stopped_message_generation')) {
      record('stop-unheard', call)
    }
  }

  /** Looks at a call once it is known what came of it. */
  function onAnswer(call: RecordedCall): void {
    const kind = kindOf(call)
    if (kind === undefined) return
    const history = historyOf(call.chatId)
    const { body } = call
    if (body?.ok === false) {
      if (body.error_code === 429) {
        const until = call.at + (body.parameters?.retry_after ?? 1) * 1000
        history.bannedUntil[bucketOf(kind)] = until
      }
      if (body.error_code === 403) history.isForbidden = true
      if (/message is not modified/.test(body.description)) record('identical-edit', call)
    }
    if (kind === 'send') lookAtSend(call, history)
    if (body?.ok !== true) return
    history.isForbidden = false
    if (kind === 'send' || kind === 'edit') lookAtPace(call, history, kind)
  }

  function lookAtSend(call: RecordedCall, history: ChatHistory): void {
    const { params, at, fault, body } = call
    const content = [params.message_thread_id, params.text, params.rich_message].join('\n')
    const { lastSend } = history
    const isSame = lastSend?.content === content && at - lastSend.at <= DOUBLE_SEND_MS
    if (isSame && lastSend.hadFault && body?.ok) record('double-send', call)
    history.lastSend = { content, at, hadFault: fault !== undefined && body?.ok === true }
  }

  function lookAtPace(call: RecordedCall, history: ChatHistory, kind: 'send' | 'edit'): void {
    const { at, chatId } = call
    if (kind === 'edit') {
      history.editedAt = [...history.editedAt.filter((time) => at - time < PRIVATE_WINDOW_MS), at]
      const isTooOften = chatId > 0 && history.editedAt.length > PRIVATE_WINDOW_MAX
      if (isTooOften) record('edit-too-often', call)
    }
    history.writtenAt = [...history.writtenAt.filter((time) => at - time < GROUP_WINDOW_MS), at]
    if (chatId < 0 && history.writtenAt.length > GROUP_WINDOW_MAX) record('edit-too-often', call)
  }

  function historyOf(chatId: number): ChatHistory {
    const known = histories.get(chatId)
    if (known) return known
    const made: ChatHistory = {
      bannedUntil: { typing: 0, message: 0 },
      isForbidden: false,
      editedAt: [],
      writtenAt: [],
      lastSend: undefined,
    }
    histories.set(chatId, made)
    return made
  }
}

export type Lints = ReturnType<typeof createLints>

type CallKind = 'send' | 'edit' | 'draft' | 'action'

/** The kinds of flood control, without drafts. */
function kindOf({ method }: RecordedCall): CallKind | undefined {
  const name = method.toLowerCase()
  if (name === 'sendchataction') return 'action'
  if (name.endsWith('draft')) return 'draft'
  if (name.startsWith('send')) return 'send'
  return name.startsWith('editmessage') ? 'edit' : undefined
}

function bucketOf(kind: CallKind): 'message' | 'typing' {
  return kind === 'send' || kind === 'edit' ? 'message' : 'typing'
}
