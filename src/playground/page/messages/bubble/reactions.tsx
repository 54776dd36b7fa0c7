import type { ReactionType } from 'grammy/types'
import type { WireMessage } from '../../../web/api.ts'
import { route } from '../../route.ts'
import { nameOf } from '../../state/names.ts'
import { userOf } from '../../state/people.ts'
import { words } from '../../words/language.ts'
import { keyOfReaction, toggleReaction } from '../actions.ts'
import { useMessageScope } from '../message-scope.ts'

/** Lists the reactions, each once with its number; a press adds or takes back one's own. */
export function Reactions({ wire }: { wire: WireMessage }) {
  const { chat } = useMessageScope()
  const chips = new Map<string, WireMessage['reactions']>()
  for (const given of wire.reactions) {
    const key = keyOfReaction(given.reaction)
    chips.set(key, [...(chips.get(key) ?? []), given])
  }
  return (
    <ul class="reactions">
      {[...chips].map(([key, given]) => {
        const reaction = given[0]?.reaction
        if (reaction === undefined) return null
        const names = given.map(({ user_id: id }) => nameOfReactor(id)).join(', ')
        return (
          <li key={key}>
            <button
              type="button"
              class="reaction"
              aria-pressed={given.some(({ user_id: id }) => id === route.value.as)}
              aria-label={words.value.message.reaction(
                `${drawingOf(reaction)} ${given.length}`,
                names,
              )}
              title={names}
              onClick={() => void toggleReaction(chat, wire, reaction)}
            >
              <span class="emoji">{drawingOf(reaction)}</span>{' '}
              <span class="num small">{given.length}</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function nameOfReactor(id: number): string {
  const user = userOf(id)
  return user === undefined ? String(id) : nameOf(user)
}

/** A custom emoji's picture is with Telegram alone: a star stands for it, as for a paid reaction. */
function drawingOf(reaction: ReactionType): string {
  return reaction.type === 'emoji' ? reaction.emoji : '⭐'
}
