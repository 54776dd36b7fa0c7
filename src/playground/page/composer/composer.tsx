import { useSignal } from '@preact/signals'
import { attempt } from '../dialogs/attempt.ts'
import { act } from '../request.ts'
import type { ChatState } from '../state/chat-state.ts'
import { words } from '../words/language.ts'
import { OpenComposer } from './open-composer.tsx'

/** Lets the person write to a chat or to one of its topics; where they cannot, offers what they can do instead. */
export function Composer({ chat, threadId }: { chat: ChatState; threadId: number }) {
  const { compose } = words.value
  const { chat: shown, topics, is_blocked: isBlocked, is_started: isStarted } = chat.info.value
  if (isBlocked) {
    return (
      <OneButton
        label={compose.unblock}
        onPress={() => act('/chats/:id/blocks', { is_blocked: false }, chat.id)}
      />
    )
  }
  if (!isStarted) {
    return <OneButton label={compose.start} onPress={() => act('/chats/:id/starts', {}, chat.id)} />
  }
  const topic = topics.find(({ thread_id: id }) => id === threadId)
  if (topic?.is_closed) return <ClosedNote text={compose.closedTopic} />
  if (shown.type === 'channel') return <ClosedNote text={compose.channel} />
  return <OpenComposer chat={chat} threadId={threadId} />
}

/** Explains, instead of the field, why nothing can be written. */
function ClosedNote({ text }: { text: string }) {
  return <p class="composer composer-closed hint">{text}</p>
}

/** Offers, instead of the field, the one thing that can be done here. */
function OneButton(props: { label: string; onPress: () => Promise<unknown> }) {
  const isBusy = useSignal(false)
  const press = async () => {
    isBusy.value = true
    await attempt(props.onPress)
    isBusy.value = false
  }
  return (
    <div class="composer composer-closed">
      <button
        type="button"
        class="button button-main"
        disabled={isBusy.value}
        onClick={() => void press()}
      >
        {props.label}
      </button>
    </div>
  )
}
