import { words } from '../words/language.ts'

/** Shows which page of a list this is, with the ways to its neighbours. Nothing where there is one page. */
export function Pager(props: {
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
