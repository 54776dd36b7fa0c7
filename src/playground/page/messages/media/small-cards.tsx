import type { Contact, Dice, Poll, Sticker } from 'grammy/types'
import { words } from '../../words/language.ts'
import { fileUrl } from './file-url.ts'

const STICKER_SIDE = 192

/** A sticker; an animated one, which the page does not play, as its emoji. */
export function StickerCard({ sticker }: { sticker: Sticker }) {
  const name = sticker.emoji ?? words.value.message.sticker
  if (sticker.is_animated || sticker.is_video) return <p class="large-emoji">{name}</p>
  return (
    <img
      class="sticker"
      src={fileUrl(sticker.file_unique_id)}
      alt={name}
      width={STICKER_SIDE}
      height={STICKER_SIDE}
      loading="lazy"
    />
  )
}

/** Somebody's name and number. */
export function ContactCard({ contact }: { contact: Contact }) {
  const { first_name: first, last_name: last = '', phone_number: phone } = contact
  return (
    <div class="card">
      <p class="card-title">{`${first} ${last}`.trim()}</p>
      <p class="hint small">{phone}</p>
    </div>
  )
}

/** Shows a thrown die, as an emoji and its number. */
export function DiceCard({ dice }: { dice: Dice }) {
  return (
    <p class="large-emoji">
      {dice.emoji} <span class="num">{dice.value}</span>
    </p>
  )
}

/** A question with its answers, and how many chose each. */
export function PollCard({ poll }: { poll: Poll }) {
  const { pollClosed, votes } = words.value.message
  return (
    <div class="card">
      <p class="card-title">{poll.question}</p>
      <ul class="poll">
        {poll.options.map(({ text, voter_count: voters }, index) => (
          <li key={index}>
            <span>{text}</span>
            <span class="hint small num">{voters}</span>
          </li>
        ))}
      </ul>
      <p class="hint small">
        {poll.is_closed ? `${pollClosed} · ` : ''}
        {votes(poll.total_voter_count)}
      </p>
    </div>
  )
}
