import { useState } from 'preact/hooks'
import type { ChangesAnswer, WireChange } from '../../api.ts'
import { EVERYBODY, GROUP_DEFAULT, USER_DEFAULT } from '../limits/defaults.ts'
import { Empty } from '../parts/empty.tsx'
import { Reading } from '../parts/reading.tsx'
import { Avatar, nameOf } from '../parts/user-label.tsx'
import { hrefOf } from '../route.ts'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { formatMoney } from '../words/money.ts'

/** Lists who changed what, the latest first. */
export function ChangesView({ timeZone }: { timeZone: string }) {
  const { sections } = words.value
  return (
    <View title={sections.changes} hasBack>
      <section class="card" aria-label={sections.changes}>
        <ChangesFrom before={undefined} timeZone={timeZone} />
      </section>
    </View>
  )
}

/** The changes before one, and below them, once somebody asks, those before these. */
function ChangesFrom({ before, timeZone }: { before: string | undefined; timeZone: string }) {
  const [hasMore, setHasMore] = useState(false)
  const read = useRead<ChangesAnswer>(hrefOf(['changes'], { before }).slice(1))
  const { changes: text, more } = words.value
  return (
    <Reading read={read} lines={8}>
      {({ changes, next }) => (
        <>
          {changes.length === 0 && before === undefined ? (
            <Empty title={text.none} hint={text.noneHint} />
          ) : null}
          <ol class="list">
            {changes.map((change) => (
              <li key={change.id}>
                <ChangeRow change={change} timeZone={timeZone} />
              </li>
            ))}
          </ol>
          {next !== null && !hasMore ? (
            <button type="button" class="button" onClick={() => setHasMore(true)}>
              {more}
            </button>
          ) : null}
          {next !== null && hasMore ? <ChangesFrom before={next} timeZone={timeZone} /> : null}
        </>
      )}
    </Reading>
  )
}

function ChangeRow({ change, timeZone }: { change: WireChange; timeZone: string }) {
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

/** A user has a page here, a group has none; a default, and everybody, are neither. */
function SubjectName({ subject }: { subject: NonNullable<WireChange['subject']> }) {
  if (subject.id === USER_DEFAULT) return <span>{words.value.limits.default}</span>
  if (subject.id === GROUP_DEFAULT) return <span>{words.value.limits.groupDefault}</span>
  if (subject.id === EVERYBODY) return <span>{words.value.limits.everybody}</span>
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

/** Describes what was changed, in the reader's words; a thing without words here goes by its name. */
function describeWhat(what: string): string {
  const name = what.replace(/^setting:/, '')
  return words.value.changes.what[name] ?? name.replaceAll('_', ' ')
}

/** A value before or after: amounts as money, known words in the reader's language, the rest as it is. */
function describeValue({ what }: Pick<WireChange, 'what'>, value: string | null): string {
  const { nothing, values } = words.value.changes
  if (value === null) return nothing
  const isAmount = what.startsWith('limit_') || what.endsWith('_micro_rub')
  return isAmount && /^-?\d+$/.test(value) ? formatMoney(value) : (values[value] ?? value)
}
