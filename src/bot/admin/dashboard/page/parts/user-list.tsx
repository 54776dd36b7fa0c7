import type { ComponentChildren } from 'preact'
import type { Read } from '../talk/use-read.ts'
import { words } from '../words/language.ts'
import { Empty } from './empty.tsx'
import { Pager } from './pager.tsx'
import { Reading } from './reading.tsx'

/** One page of the users that a search finds: how many there are, a row for each, the ways to other pages. */
export function UserList<User>(props: {
  label: string
  read: Read<{ users: readonly User[]; pageSize: number; total: number }>
  search: string
  page: number
  /** The text of an empty list that was not searched. */
  empty: { title: string; hint: string }
  onPage: (page: number) => void
  /** Draws the list item of a user. */
  children: (user: User) => ComponentChildren
}) {
  const { label, read, search, page, empty, onPage, children } = props
  const { found, noneFound, noneHint } = words.value.users
  return (
    <section class="card" aria-label={label} aria-busy={read.isReading}>
      <Reading read={read} lines={10}>
        {({ users, pageSize, total }) => (
          <>
            <p class="hint small" role="status">
              {total === 0 ? '' : found(total)}
            </p>
            {users.length > 0 ? null : search === '' ? (
              <Empty {...empty} />
            ) : (
              <Empty title={noneFound(search)} hint={noneHint} />
            )}
            <ul class="list">{users.map(children)}</ul>
            <Pager page={page} pageSize={pageSize} total={total} onPage={onPage} />
          </>
        )}
      </Reading>
    </section>
  )
}
