import type { Change } from '../../api.ts'
import { Avatar, nameOf } from '../parts/user-label.tsx'
import { hrefOf } from '../route.ts'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'

/** What changed, from what to what, who did it and when. */
export function ChangeRow({ change, timeZone }: { change: Change; timeZone: string }) {
  const { changes: text } = words.value
  const { at, by, what, subject, before, after } = change
  return (
    <div class="list-item">
      <Avatar user={by} />
      <span class="list-main">
        <span class="list-title">
          {text.what[what] ?? what}
          {subject === null ? null : (
            <>
              {' · '}
              <a class="link" href={hrefOf(['users', subject.id])}>
                {nameOf(subject)}
              </a>
            </>
          )}
        </span>
        <span class="change-values">
          {before === null ? text.nothing : <del>{before}</del>} <span aria-hidden="true">→</span>{' '}
          <ins>{after ?? text.nothing}</ins>
        </span>
        <span class="hint small">
          {nameOf(by)} · {formatInstant(at, timeZone)}
        </span>
      </span>
    </div>
  )
}
