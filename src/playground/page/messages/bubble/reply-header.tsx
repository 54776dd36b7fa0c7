import type { Message } from 'grammy/types'
import { colourOf } from '../../parts/avatar.tsx'
import { type Author, authorOf, originName } from '../../state/authors.ts'
import { previewOf } from '../../state/describe-service.ts'
import { words } from '../../words/language.ts'

interface ReplyHeaderProps {
  message: Message
  /** Shows the message that this one answers. */
  onGo: (messageId: number) => void
}

/** Quotes the message that this one answers: its author, and the quoted words or the beginning. */
export function ReplyHeader({ message, onGo }: ReplyHeaderProps) {
  const { reply_to_message: replied, quote, external_reply: external } = message
  if (external !== undefined) {
    const author = { id: 0, name: originName(external.origin) }
    return <Header author={author} text={quote?.text ?? words.value.message.message} />
  }
  // Telegram shows what begins a topic as answered by each message in it that answers none.
  if (replied === undefined || replied.forum_topic_created !== undefined) return null
  const go = () => onGo(replied.message_id)
  const text = quote?.text ?? previewOf(replied)
  return (
    <Header author={authorOf(replied)} text={text} isQuote={quote !== undefined} onPress={go} />
  )
}

interface HeaderProps {
  author: Author
  text: string
  isQuote?: boolean
  onPress?: () => void
}

function Header({ author, text, isQuote = false, onPress }: HeaderProps) {
  return (
    <button
      type="button"
      class={isQuote ? 'reply reply-quote' : 'reply'}
      data-colour={colourOf(author.id)}
      disabled={onPress === undefined}
      onClick={onPress}
    >
      <span class="reply-author cut">{author.name}</span>
      <span class={isQuote ? 'reply-quoted' : 'cut'}>{text}</span>
    </button>
  )
}
