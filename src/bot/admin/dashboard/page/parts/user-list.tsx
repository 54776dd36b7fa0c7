import type { ComponentChildren } from 'preact'
import type { Read } from '../talk/use-read.ts'
import { words } from '../words/language.ts'
import { Empty } from './empty.tsx'
import { Reading } from './reading.tsx'

/** One page of the users that a search finds: how many there are, a row for each, the ways to other pages. */
export function UserList<User>(props: {
  label: string
  read: Read<{ users: readonly User[]; pageSize: number; total: number }>
  search: string
  page: number
  empty: { title: string; hint: string }
  onPage: (page: number) => void
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

function Pager(props: {
  page: number
  pageSize: number
  total: number
  onPage: (page: number) => void
}) {
  const { page, pageSize, total, onPage } = props
  const from = page * pageSize
  const to = Math.min(total, from + pageSize)
  if (total <= pageSize && page === 0) return null
  const { previous, next, pageOf } = words.value
  return (
    <nav class="pager" aria-label={pageOf(from + 1, to, total)}>
      <button type="button" class="button" disabled={page === 0} onClick={() => onPage(page - 1)}>
        {previous}
      </button>
      <span class="hint num" aria-live="polite">
        {pageOf(Math.min(from + 1, total), to, total)}
      </span>
      <button type="button" class="button" disabled={to >= total} onClick={() => onPage(page + 1)}>
        {next}
      </button>
    </nav>
  )
}
