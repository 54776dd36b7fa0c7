import { useState } from 'preact/hooks'
import type { LimitBody, LimitPeriod, WireLimit } from '../../api.ts'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { SaveRow } from '../parts/save-row.tsx'
import { useSave } from '../talk/use-save.ts'
import { words } from '../words/language.ts'
import { toField } from '../words/money.ts'
import { isDefault } from './defaults.ts'
import { readAmount } from './read-amount.ts'

/** A limit being changed: an amount, none, or the default. Enter saves, Escape leaves it as it was. */
export function LimitForm(props: {
  subjectId: number
  period: LimitPeriod
  amountMicroRub: string | null
  origin: WireLimit['origin']
  onClose: () => void
}) {
  const { subjectId, period, onClose } = props
  const [text, setText] = useState(() => toField(props.amountMicroRub))
  const [fault, setFault] = useState<string | undefined>()
  const saving = useSave()
  const { cancel, limits, periods } = words.value
  const path = `/limits/${subjectId}/${period}`
  const closeIfSaved = (isSaved: boolean) => {
    if (isSaved) onClose()
  }
  const submit = () => {
    const amount = readAmount(text)
    setFault(amount.fault)
    if (amount.fault !== undefined) return
    const body: LimitBody = { amountMicroRub: amount.microRub }
    void saving.save('PUT', path, body).then(closeIfSaved)
  }
  return (
    <Form
      class="limit-form"
      label={limits.change(periods[period])}
      onSubmit={submit}
      onEscape={onClose}
    >
      <Field
        label={limits.amount}
        hint={limits.amountHint}
        problem={fault}
        value={text}
        inputMode="decimal"
        autoFocus
        onInput={(value) => {
          setText(value)
          setFault(undefined)
        }}
      />
      <SaveRow saving={saving}>
        {!isDefault(subjectId) && props.origin === 'own' ? (
          <button
            type="button"
            class="button"
            onClick={() => void saving.save('DELETE', path).then(closeIfSaved)}
          >
            {limits.takeDefault}
          </button>
        ) : null}
        <button type="button" class="button" onClick={onClose}>
          {cancel}
        </button>
      </SaveRow>
    </Form>
  )
}
