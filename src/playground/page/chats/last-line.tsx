import type { WireMessage } from '../../web/api.ts'
import { route } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { contentOf } from '../state/content-of.ts'
import { previewOf } from '../state/describe-service.ts'
import { doingIn } from '../state/doing.ts'
import { nameNow } from '../state/names.ts'
import { words } from '../words/language.ts'

/** Shows, under the name of a chat or topic, what the bot is doing, or the last message and its author. */
export function LastLine(props: {
  chat: ChatState
  /** The topic whose line this is; undefined for the line of the whole chat. */
  threadId?: number
  last: WireMessage | undefined
}) {
  const doing = doingIn(props.chat, props.threadId)
  if (doing !== undefined) return <span class="doing">{doing}</span>
  const { last } = props
  if (last === undefined) return emptyLine(props.chat)
  const author = authorOf(props.chat, last)
  return (
    <>
      {author === undefined ? null : <span class="entry-author">{author}: </span>}
      {previewOf(last.message)}
    </>
  )
}

function emptyLine({ info }: ChatState): string {
  return info.value.is_started ? words.value.message.none : words.value.shell.notMet
}

/** Names the author of the last line: in a chat of two only of one's own messages, never of a service message. */
function authorOf(chat: ChatState, { message }: WireMessage): string | undefined {
  if (message.from === undefined || contentOf(message) === undefined) return undefined
  if (message.from.id === route.value.as) return words.value.shell.you
  return chat.info.value.chat.type === 'private' ? undefined : nameNow(message.from)
}
