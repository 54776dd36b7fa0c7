import { useState } from 'preact/hooks'
import type { ChangesAnswer } from '../../api.ts'
import { ChangeRow } from '../changes/change-row.tsx'
import { Empty } from '../parts/empty.tsx'
import { Reading } from '../parts/reading.tsx'
import { hrefOf } from '../route.ts'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'

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
