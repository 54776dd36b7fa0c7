import type { UsersAnswer } from '../../api.ts'
import { Empty } from '../parts/empty.tsx'
import { Pager } from '../parts/pager.tsx'
import { Reading } from '../parts/reading.tsx'
import { Search } from '../parts/search.tsx'
import { hrefOf, replaceRoute, route } from '../route.ts'
import { View } from '../shell/view.tsx'
import { readSpan, SpanChoice } from '../spend/span.tsx'
import { UserRow } from '../spend/user-row.tsx'
import { useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'

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
      <section class="card" aria-label={sections.users} aria-busy={read.isReading}>
        <Reading read={read} lines={10}>
          {({ users, total, pageSize }) => (
            <>
              <p class="hint small" role="status">
                {total === 0 ? '' : text.found(total)}
              </p>
              {users.length === 0 ? (
                <Empty
                  title={search === '' ? text.none : text.noneFound(search)}
                  hint={search === '' ? words.value.spend.nothingYet : text.noneHint}
                />
              ) : null}
              <ul class="list">
                {users.map(({ user, spend }) => (
                  <li key={user.id}>
                    <UserRow
                      user={user}
                      span={span}
                      charges={spend.charges}
                      amount={BigInt(spend.amountMicroRub)}
                    />
                  </li>
                ))}
              </ul>
              <Pager
                page={page}
                pageSize={pageSize}
                total={total}
                onPage={(other) => show({ page: other })}
              />
            </>
          )}
        </Reading>
      </section>
    </View>
  )
}
