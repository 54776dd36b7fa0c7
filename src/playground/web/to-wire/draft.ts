import type { PlaygroundDraft } from '../../world/drafts.ts'
import { DRAFT_VISIBLE_MS } from '../../world/drafts.ts'
import type { StoredChat } from '../../world/world.ts'
import type { WireAction, WireDraft } from '../api.ts'
import type { WebDeps } from '../web-deps.ts'

type DraftDeps = Pick<WebDeps, 'drafts' | 'clock'>

/** The drafts that show now in a person's chat with the bot. */
export function draftsOf(userId: number, { drafts, clock }: DraftDeps): WireDraft[] {
  const ofPerson = drafts.pendingDrafts().filter(({ chatId }) => chatId === userId)
  return ofPerson.flatMap(({ threadId }) => {
    const draft = drafts.visibleDraft(userId, threadId)
    if (draft === undefined) return []
    const canStop = draft.canStop && !drafts.isStopped(draft)
    return [toWireDraft(draft, { canStop, now: clock.now() })]
  })
}

function toWireDraft(
  { chatId, threadId, draftId, text, entities, rich, at }: PlaygroundDraft,
  { canStop, now }: { canStop: boolean; now: number },
): WireDraft {
  const richMessage = rich && { blocks: rich.blocks, ...(rich.isRtl && { is_rtl: true as const }) }
  return {
    chat_id: chatId,
    thread_id: threadId,
    draft_id: draftId,
    text,
    entities,
    ...(richMessage && { rich_message: richMessage }),
    can_stop: canStop,
    shows_ms: Math.max(0, at + DRAFT_VISIBLE_MS - now),
  }
}

/** The bot's action that shows in a chat. */
export function actionOf(
  { id, action }: StoredChat,
  { clock }: Pick<DraftDeps, 'clock'>,
): WireAction | undefined {
  const showsMs = (action?.visibleUntil ?? 0) - clock.now()
  if (action === undefined || showsMs <= 0) return undefined
  return { chat_id: id, thread_id: action.threadId, action: action.name, shows_ms: showsMs }
}
