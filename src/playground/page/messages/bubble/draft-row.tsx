import type { WireDraft } from '../../../web/api.ts'
import { Icon } from '../../parts/icons.tsx'
import type { ChatState } from '../../state/chat-state.ts'
import { words } from '../../words/language.ts'
import { stopDraft } from '../actions.ts'
import { MessageScopeProvider } from '../message-scope.ts'
import { Thinking } from '../rich/thinking.tsx'
import { MessageText, RichBody } from './content.tsx'

/** An answer that the bot is writing, with a button that ends it. */
export function DraftRow({ chat, draft }: { chat: ChatState; draft: WireDraft }) {
  const { stop, thinking, writing } = words.value.message
  const { text, entities, rich_message: rich, thread_id: threadId } = draft
  return (
    <MessageScopeProvider value={{ chat, threadId, messageId: undefined }}>
      <li class="message-row message-row-other message-row-first message-row-last">
        <div class="message-row-inside">
          <article class="bubble bubble-draft" aria-label={writing} aria-busy="true">
            {rich !== undefined ? (
              <RichBody rich={rich} />
            ) : text === '' ? (
              <Thinking text={thinking} />
            ) : (
              <MessageText message={{ text, entities }} />
            )}
          </article>
          {draft.can_stop ? (
            <div class="inline-keys">
              <button
                type="button"
                class="inline-key"
                onClick={() => void stopDraft(chat, threadId)}
              >
                <Icon name="stop" />
                <span class="inline-text">{stop}</span>
              </button>
            </div>
          ) : null}
        </div>
      </li>
    </MessageScopeProvider>
  )
}
