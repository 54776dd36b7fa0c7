import type { LimitsAnswer } from '../../api.ts'
import { EVERYBODY, GROUP_DEFAULT, USER_DEFAULT } from '../limits/defaults.ts'
import { LimitList } from '../limits/limit-list.tsx'
import { LimitRow } from '../limits/limit-row.tsx'
import { NewLimitForm } from '../limits/new-limit-form.tsx'
import { Empty } from '../parts/empty.tsx'
import { Reading } from '../parts/reading.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { nameOf } from '../parts/user-label.tsx'
import { hrefOf } from '../route.ts'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { formatInstant } from '../words/dates.ts'
import { words } from '../words/language.ts'

/** Shows what everybody together and each user may spend, and who has limits of their own. */
export function LimitsView({ canChange, timeZone }: { canChange: boolean; timeZone: string }) {
  const read = useRead<LimitsAnswer>('/limits')
  const { limits: text, sections } = words.value
  return (
    <View title={sections.limits} hasBack>
      <Reading read={read} lines={8}>
        {(limits) => (
          <div class="grid">
            <TitledCard title={text.everybody} hint={text.everybodyHint} isReading={read.isReading}>
              <LimitList
                subjectId={EVERYBODY}
                limits={limits.everybody}
                canChange={canChange}
                timeZone={timeZone}
              />
            </TitledCard>
            <TitledCard title={text.default} hint={text.defaultHint} isReading={read.isReading}>
              <Defaults subjectId={USER_DEFAULT} defaults={limits.default} canChange={canChange} />
            </TitledCard>
            <TitledCard
              title={text.groupDefault}
              hint={text.groupDefaultHint}
              isReading={read.isReading}
            >
              <Defaults
                subjectId={GROUP_DEFAULT}
                defaults={limits.groupDefault}
                canChange={canChange}
              />
            </TitledCard>
            <TitledCard title={text.own} isReading={read.isReading}>
              {limits.own.length === 0 ? <Empty title={text.noOwn} hint={text.noOwnHint} /> : null}
              <ul class="list limits">
                {limits.own.map((own) => (
                  <li key={`${own.subjectId} ${own.period}`}>
                    <OwnLimit own={own} canChange={canChange} timeZone={timeZone} />
                  </li>
                ))}
              </ul>
            </TitledCard>
            {canChange ? (
              <TitledCard title={text.set}>
                <NewLimitForm />
              </TitledCard>
            ) : null}
          </div>
        )}
      </Reading>
    </View>
  )
}

function Defaults(props: {
  subjectId: number
  defaults: LimitsAnswer['default']
  canChange: boolean
}) {
  const { subjectId, defaults, canChange } = props
  return (
    <ul class="list limits">
      {defaults.map(({ period, amountMicroRub }) => (
        <li key={period}>
          <LimitRow
            subjectId={subjectId}
            period={period}
            amountMicroRub={amountMicroRub}
            canChange={canChange}
            origin="own"
          />
        </li>
      ))}
    </ul>
  )
}

function OwnLimit(props: {
  own: LimitsAnswer['own'][number]
  canChange: boolean
  timeZone: string
}) {
  const { own, canChange, timeZone } = props
  const { subjectId, period, amountMicroRub, setBy, setAt } = own
  const name = nameOf({ id: subjectId, name: own.name })
  const at = formatInstant(setAt, timeZone)
  return (
    <LimitRow
      subjectId={subjectId}
      period={period}
      amountMicroRub={amountMicroRub}
      canChange={canChange}
      origin="own"
      title={
        <>
          {subjectId > 0 ? (
            <a class="list-title link" href={hrefOf(['users', subjectId])}>
              {name}
            </a>
          ) : (
            <span class="list-title">{name}</span>
          )}
          <span class="hint small">{words.value.periods[period]}</span>
        </>
      }
    >
      <p class="hint small">{setBy === null ? at : words.value.limits.setBy(nameOf(setBy), at)}</p>
    </LimitRow>
  )
}
