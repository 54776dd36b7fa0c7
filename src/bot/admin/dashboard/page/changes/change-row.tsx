import type { WireChange } from '../../api.ts'
import { GROUP_DEFAULT } from '../limits/defaults.ts'
import { Avatar, nameOf } from '../parts/user-label.tsx'
import { hrefOf } from '../route.ts'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { describeValue, describeWhat } from './describe-change.ts'

/** Shows one change: its old and its new value, who made it and when. */
export function ChangeRow({ change, timeZone }: { change: WireChange; timeZone: string }) {
  const { at, by, what, subject, after } = change
  return (
    <div class="list-item">
      <Avatar user={by} />
      <span class="list-main">
        <span class="list-title">
          {describeWhat(what)}
          {subject === null ? null : (
            <>
              {' · '}
              <SubjectName subject={subject} />
            </>
          )}
        </span>
        <span class="change-values">
          <Before change={change} /> <span aria-hidden="true">→</span>{' '}
          <ins>{describeValue(change, after)}</ins>
        </span>
        <span class="hint small">
          {nameOf(by)} · {formatInstant(at, timeZone)}
        </span>
      </span>
    </div>
  )
}

/** A user has a page here, a group has none; the default of groups is one of neither. */
function SubjectName({ subject }: { subject: NonNullable<WireChange['subject']> }) {
  if (subject.id === GROUP_DEFAULT) return <span>{words.value.limits.groupDefault}</span>
  if (subject.id < 0) return <span>{nameOf(subject)}</span>
  return (
    <a class="link" href={hrefOf(['users', subject.id])}>
      {nameOf(subject)}
    </a>
  )
}

/** Strikes the old value out; a value that was not there is only described. */
function Before({ change }: { change: WireChange }) {
  const described = describeValue(change, change.before)
  return change.before === null ? <span>{described}</span> : <del>{described}</del>
}
