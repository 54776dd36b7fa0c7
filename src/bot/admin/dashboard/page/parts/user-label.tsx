import type { WireUser } from '../../api.ts'
import { words } from '../words/language.ts'

/** The first letters of a name, for a circle beside it. */
export function Avatar({ user }: { user: WireUser }) {
  const letters = user.name
    .split(/\s+/)
    .map((word) => Array.from(word)[0] ?? '')
    .slice(0, 2)
    .join('')
  const tint = Math.abs(user.id) % 6
  return (
    <span class={`avatar avatar-${tint}`} aria-hidden="true">
      {letters.toUpperCase() || '–'}
    </span>
  )
}

/** The name of a user or a group; of one who had everything erased, that. */
export function nameOf({ id, name }: Pick<WireUser, 'id' | 'name'>): string {
  if (name !== '') return name
  return id < 0 ? `${words.value.group} ${id}` : words.value.erased
}

/** Returns what distinguishes users of one name. */
export function handleOf({ id, username }: WireUser): string {
  return username === null ? `${words.value.id} ${id}` : `@${username}`
}
