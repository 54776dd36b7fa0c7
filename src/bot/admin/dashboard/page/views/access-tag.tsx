import type { WireAccess } from '../../api.ts'
import { words } from '../words/language.ts'

/** How a user stands, in a word or two; a role besides. */
export function AccessTag({ access }: { access: WireAccess }) {
  const { access: text } = words.value
  return (
    <>
      <span class={`tag ${toneOf(access)}`}>{labelOf(access)}</span>
      {access.role === null ? null : <span class="tag tag-role">{text.roles[access.role]}</span>}
    </>
  )
}

function labelOf({ status, decision }: WireAccess): string {
  const { access: text } = words.value
  if (status !== 'outsider') return text.status[status]
  if (decision === 'requested') return text.asks
  return decision === 'refused' ? text.refused : text.status.outsider
}

function toneOf({ status, decision }: WireAccess): string {
  if (status === 'insider') return 'tag-good'
  if (status === 'blocked') return 'tag-danger'
  return decision === 'requested' ? 'tag-asks' : ''
}
