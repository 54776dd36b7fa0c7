import type { ReportSpan, WireUser } from '../../api.ts'
import { Avatar, handleOf, nameOf } from '../parts/user-label.tsx'
import { hrefOf } from '../route.ts'
import { words } from '../words/language.ts'

/** A user with what they spent; leads to their page. */
export function UserRow(props: {
  user: WireUser
  span: ReportSpan
  charges: number
  amount: string
}) {
  const { user, span, charges, amount } = props
  return (
    <a class="list-item" href={hrefOf(['users', user.id], { span })}>
      <Avatar user={user} />
      <span class="list-main">
        <span class="list-title">{nameOf(user)}</span>
        <span class="hint small">{handleOf(user)}</span>
      </span>
      <span class="list-end">
        <span class="num">{amount}</span>
        <span class="hint small num">{words.value.spend.charges(charges)}</span>
      </span>
    </a>
  )
}
