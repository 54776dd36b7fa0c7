import type { UsersAnswer } from '../../api.ts'
import { Search } from '../parts/search.tsx'
import { UserList } from '../parts/user-list.tsx'
import { hrefOf, replaceRoute, route } from '../route.ts'
import { View } from '../shell/view.tsx'
import { readSpan, SpanChoice } from '../spend/span.tsx'
import { UserRow } from '../spend/user-row.tsx'
import { useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'
import { formatMoney } from '../words/money.ts'

/** Every user, who spent most first; found by a name, a username or an id. */
export function UsersView() {
  const { query } = route.value
  const span = readSpan(query)
  const search = query.get('search') ?? ''
  const page = Number(query.get('page') ?? 0)
  const read = useRead<UsersAnswer>(hrefOf(['users'], { span, search, page }).slice(1))
  const { sections, users: text } = words.value
  const show = (change: { span?: string; search?: string; page?: number }) => {
    replaceRoute(hrefOf(['users'], { span, search, page: 0, ...change }))
  }
  return (
    <View title={sections.users}>
      <div class="toolbar">
        <Search value={search} onSearch={(typed) => show({ search: typed })} />
        <SpanChoice span={span} onChange={(chosen) => show({ span: chosen })} />
      </div>
      <UserList
        read={read}
        search={search}
        page={page}
        label={sections.users}
        empty={{ title: text.none, hint: words.value.spend.nothingYet }}
        onPage={(other) => show({ page: other })}
      >
        {({ user, spend }) => (
          <li key={user.id}>
            <UserRow
              user={user}
              span={span}
              charges={spend.charges}
              amount={formatMoney(spend.amountMicroRub)}
            />
          </li>
        )}
      </UserList>
    </View>
  )
}
