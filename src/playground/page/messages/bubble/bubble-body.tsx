import type { Message } from 'grammy/types'
import type { WireMessage } from '../../../web/api.ts'
import { Icon } from '../../parts/icons.tsx'
import { formatInstant, formatTime } from '../../words/dates.ts'
import { words } from '../../words/language.ts'
import { isPicture, MessageMedia, MessageText, RichBody } from './content.tsx'
import { Reactions } from './reactions.tsx'

/** Draws the content of a bubble: media, text, reactions, and the time where there is room for it. */
export function BubbleBody({
  wires,
  pinned,
}: {
  wires: readonly WireMessage[]
  pinned: readonly number[]
}) {
  const [wire] = wires
  if (wire === undefined) return null
  // The caption of an album is that of the one message that has any.
  const captioned = wires.find(({ message }) => message.caption) ?? wire
  const { message } = captioned
  const reacted = wires.filter(({ reactions }) => reactions.length > 0)
  const isPinned = wires.some(({ message: { message_id: id } }) => pinned.includes(id))
  const meta = <Meta message={message} isPinned={isPinned} />
  const hasText = Boolean(message.text ?? message.caption)
  const isMetaInText = hasText && reacted.length === 0
  const isOverPicture = !hasText && reacted.length === 0 && isPicture(message)
  const text = hasText ? (
    <MessageText message={message}>{isMetaInText ? meta : null}</MessageText>
  ) : null
  return (
    <>
      {message.show_caption_above_media ? text : null}
      <Media wires={wires} />
      {message.rich_message === undefined ? null : <RichBody rich={message.rich_message} />}
      {message.show_caption_above_media ? null : text}
      {isMetaInText ? null : (
        <div class={isOverPicture ? 'foot foot-over' : 'foot'}>
          {reacted.map((one) => (
            <Reactions key={one.message.message_id} wire={one} />
          ))}
          {meta}
        </div>
      )}
    </>
  )
}

function Media({ wires }: { wires: readonly WireMessage[] }) {
  const [wire, ...others] = wires
  if (wire === undefined) return null
  if (others.length > 0) {
    return (
      <div class={isPicture(wire.message) ? 'album' : 'album-files'}>
        {wires.map(({ message }) => (
          <MessageMedia key={message.message_id} message={message} />
        ))}
      </div>
    )
  }
  if (!isPicture(wire.message)) return <MessageMedia message={wire.message} />
  return (
    <div class="picture">
      <MessageMedia message={wire.message} />
    </div>
  )
}

/** Shows when a message was written, and if it was edited since. */
function Meta({ message, isPinned }: { message: Message; isPinned: boolean }) {
  const { edited, pinned } = words.value.message
  return (
    <span class="meta">
      {isPinned ? (
        <span class="meta-pin" role="img" aria-label={pinned} title={pinned}>
          <Icon name="pin" />
        </span>
      ) : null}
      {message.edit_date === undefined ? null : (
        <span title={formatInstant(message.edit_date)}>{edited} </span>
      )}
      <time
        dateTime={new Date(message.date * 1000).toISOString()}
        title={formatInstant(message.date)}
      >
        {formatTime(message.date)}
      </time>
    </span>
  )
}
