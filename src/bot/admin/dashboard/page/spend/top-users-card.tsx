import type { OverviewAnswer, ReportSpan } from '../../api.ts'
import { TitledCard } from '../parts/titled-card.tsx'
import { words } from '../words/language.ts'
import { formatMoney, formatParts } from '../words/money.ts'
import { UserRow } from './user-row.tsx'

/** Lists the users who spent most, all others together, and their sum; the figures as shown add up. */
export function TopUsersCard({ overview, span }: { overview: OverviewAnswer; span: ReportSpan }) {
  const { spend } = words.value
  const { topUsers, rest, sum } = overview
  const amounts = topUsers.map((user) => user.spend.amountMicroRub)
  const shown = formatParts(rest === null ? amounts : [...amounts, rest.spend.amountMicroRub])
  return (
    <TitledCard title={spend.topUsers} class="wide">
      <ol class="list">
        {topUsers.map(({ user, spend: spent }, index) => (
          <li key={user.id}>
            <UserRow user={user} span={span} charges={spent.charges} amount={shown[index] ?? ''} />
          </li>
        ))}
      </ol>
      <dl class="totals">
        {rest === null ? null : (
          <div>
            <dt>{spend.rest(rest.users)}</dt>
            <dd class="num">{shown.at(-1)}</dd>
          </div>
        )}
        <div class="total">
          <dt>{spend.sum}</dt>
          <dd class="num">{formatMoney(sum.amountMicroRub)}</dd>
        </div>
      </dl>
    </TitledCard>
  )
}
