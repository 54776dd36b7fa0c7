import { useState } from 'preact/hooks'
import type { AccessAnswer } from '../../api.ts'
import { Search } from '../parts/search.tsx'
import { Avatar, handleOf, nameOf } from '../parts/user-label.tsx'
import { UserList } from '../parts/user-list.tsx'
import { hrefOf, replaceRoute, route } from '../route.ts'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'
import { AccessForm } from './access-form.tsx'
import { AccessTag } from './access-tag.tsx'

/** Shows who asks to talk to the bot, who may, and who has a role; requests come first. */
export function AccessView({ canChange }: { canChange: boolean }) {
  const { query } = route.value
  const search = query.get('search') ?? ''
  const page = Number(query.get('page') ?? 0)
  const read = useRead<AccessAnswer>(hrefOf(['access'], { search, page }).slice(1))
  const { access: text, sections } = words.value
  const show = (change: { search?: string; page?: number }) => {
    replaceRoute(hrefOf(['access'], { search, page: 0, ...change }))
  }
  return (
    <View title={sections.access} hasBack>
      <div class="toolbar">
        <Search value={search} onSearch={(typed) => show({ search: typed })} />
      </div>
      <UserList
        read={read}
        search={search}
        page={page}
        label={sections.access}
        empty={{ title: text.none, hint: text.noneHint }}
        onPage={(other) => show({ page: other })}
      >
        {(user) => (
          <li key={user.id}>
            <AccessRow user={user} canChange={canChange} />
          </li>
        )}
      </UserList>
    </View>
  )
}

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
