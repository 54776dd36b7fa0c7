import { useState } from 'preact/hooks'
import type { AccessAnswer } from '../../api.ts'
import { AccessForm } from '../access/access-form.tsx'
import { AccessTag } from '../access/access-tag.tsx'
import { Empty } from '../parts/empty.tsx'
import { Pager } from '../parts/pager.tsx'
import { Reading } from '../parts/reading.tsx'
import { Search } from '../parts/search.tsx'
import { Avatar, handleOf, nameOf } from '../parts/user-label.tsx'
import { hrefOf, replaceRoute, route } from '../route.ts'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'

/** Who may talk to the bot, who asks to, and who has a role; who asks comes first. */
export function AccessView({ canChange }: { canChange: boolean }) {
  const { query } = route.value
  const search = query.get('search') ?? ''
  const page = Number(query.get('page') ?? 0)
  const read = useRead<AccessAnswer>(hrefOf(['access'], { search, page }).slice(1))
  const { access: text, sections, users: found } = words.value
  const show = (change: { search?: string; page?: number }) => {
    replaceRoute(hrefOf(['access'], { search, page: 0, ...change }))
  }
  return (
    <View title={sections.access} hasBack>
      <div class="toolbar">
        <Search value={search} onSearch={(typed) => show({ search: typed })} />
      </div>
      <section class="card" aria-label={sections.access} aria-busy={read.isReading}>
        <Reading read={read} lines={10}>
          {({ users, total, pageSize }) => (
            <>
              {users.length === 0 ? (
                <Empty
                  title={search === '' ? text.none : found.noneFound(search)}
                  hint={search === '' ? text.noneHint : found.noneHint}
                />
              ) : null}
              <ul class="list">
                {users.map((user) => (
                  <li key={user.id}>
                    <AccessRow user={user} canChange={canChange} />
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

/** Opens in its place. */
function AccessRow({
  user,
  canChange,
}: {
  user: AccessAnswer['users'][number]
  canChange: boolean
}) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        class="list-item"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Avatar user={user} />
        <span class="list-main">
          <span class="list-title">{nameOf(user)}</span>
          <span class="hint small">{handleOf(user)}</span>
        </span>
        <span class="list-end">
          <AccessTag access={user.access} />
        </span>
      </button>
      {isOpen ? (
        <div class="opened">
          <AccessForm user={user} access={user.access} canChange={canChange} />
          <a class="link" href={hrefOf(['users', user.id])}>
            {words.value.sections.spend}
          </a>
        </div>
      ) : null}
    </>
  )
}
