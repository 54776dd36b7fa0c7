import { CHARGE_KINDS, type ChargeKind, type OverviewAnswer, type WireUser } from '../../api.ts'
import { Select } from '../parts/choice.tsx'
import { Icon } from '../parts/icons.tsx'
import { nameOf } from '../parts/user-label.tsx'
import { words } from '../words/language.ts'
import { nameItem } from '../words/made.ts'
import { type Filter, isNarrowed, NOTHING_NARROWED } from './filter.ts'

/** Narrows what is shown by kind, model and user. */
export function Filters(props: {
  filter: Filter
  choices: {
    kinds: readonly ChargeKind[]
    models: readonly Pick<OverviewAnswer['byModel'][number], 'model' | 'made'>[]
    users: readonly WireUser[]
  }
  onChange: (change: Partial<Filter>) => void
}) {
  const { filter, choices, onChange } = props
  const { kinds, spend } = words.value
  const offered = withChosen(choices.kinds, filter.kind)
  const models = choices.models.map(({ model, made }) => {
    return { value: model, label: nameItem(model, made) }
  })
  const isModelListed = models.some(({ value }) => value === filter.model)
  if (filter.model !== undefined && !isModelListed) {
    models.push({ value: filter.model, label: filter.model })
  }
  const users = choices.users.map((user) => ({ value: String(user.id), label: nameOf(user) }))
  const isUserListed = users.some(({ value }) => value === filter.user)
  if (filter.user !== undefined && !isUserListed) {
    users.push({ value: filter.user, label: `${words.value.id} ${filter.user}` })
  }
  return (
    <fieldset class="filters">
      <legend class="unseen">{spend.filters}</legend>
      <Pill
        label={spend.kind}
        value={filter.kind}
        options={CHARGE_KINDS.filter((kind) => offered.includes(kind)).map((kind) => ({
          value: kind,
          label: kinds[kind],
        }))}
        onChange={(kind) => onChange({ kind: kind as ChargeKind | undefined })}
      />
      <Pill
        label={spend.model}
        value={filter.model}
        options={models}
        onChange={(model) => onChange({ model })}
      />
      <Pill
        label={spend.user}
        value={filter.user}
        options={users}
        onChange={(user) => onChange({ user })}
      />
      {isNarrowed(filter) ? (
        <button type="button" class="button button-icon" onClick={() => onChange(NOTHING_NARROWED)}>
          <Icon name="close" />
          <span class="unseen">{spend.clear}</span>
        </button>
      ) : null}
    </fieldset>
  )
}

/** A list whose first line is "all"; what it is a list of stands there until something is chosen. */
function Pill(props: {
  label: string
  value: string | undefined
  options: readonly { value: string; label: string }[]
  onChange: (value: string | undefined) => void
}) {
  const { label, value, options, onChange } = props
  const all = value === undefined ? label : `${label}: ${words.value.all.toLowerCase()}`
  return (
    <Select
      label={label}
      value={value ?? ''}
      isSet={value !== undefined}
      options={[{ value: '', label: all }, ...options]}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
    />
  )
}

function withChosen<T extends string>(values: readonly T[], chosen: T | undefined): readonly T[] {
  return chosen === undefined || values.includes(chosen) ? values : [...values, chosen]
}
