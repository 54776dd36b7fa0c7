import { useState } from 'preact/hooks'
import { LIMIT_PERIODS, type LimitBody, type LimitPeriod } from '../../api.ts'
import { Select } from '../parts/choice.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { SaveRow } from '../parts/save-row.tsx'
import { useSave } from '../talk/use-save.ts'
import { words } from '../words/language.ts'
import { EVERYBODY, isDefault } from './defaults.ts'
import { readAmount } from './read-amount.ts'

const UNTOUCHED = { subject: '', period: 'month' as LimitPeriod, amount: '' }

/** A limit for a user or a group whose id somebody has. */
export function NewLimitForm() {
  const [typed, setTyped] = useState(UNTOUCHED)
  const [faults, setFaults] = useState<{ subject?: string; amount?: string }>({})
  const saving = useSave()
  const { limits, periods, problems } = words.value
  const submit = async () => {
    const subject = readSubject(typed.subject)
    const amount = readAmount(typed.amount)
    setFaults({
      ...(subject === undefined ? { subject: problems.idMalformed } : {}),
      ...(amount.fault === undefined ? {} : { amount: amount.fault }),
    })
    if (subject === undefined || amount.fault !== undefined) return
    const body: LimitBody = { amountMicroRub: amount.microRub }
    if (await saving.save('PUT', `/limits/${subject}/${typed.period}`, body)) setTyped(UNTOUCHED)
  }
  return (
    <Form onSubmit={() => void submit()}>
      <Field
        label={limits.subject}
        hint={limits.subjectHint}
        problem={faults.subject}
        value={typed.subject}
        inputMode="text"
        onInput={(subject) => setTyped({ ...typed, subject })}
      />
      <Select
        label={limits.period}
        isLabelled
        options={LIMIT_PERIODS.map((value) => ({ value, label: periods[value] }))}
        value={typed.period}
        onChange={(period) => setTyped({ ...typed, period })}
      />
      <Field
        label={limits.amount}
        hint={limits.amountHint}
        problem={faults.amount}
        value={typed.amount}
        inputMode="decimal"
        onInput={(amount) => setTyped({ ...typed, amount })}
      />
      <SaveRow saving={saving} />
    </Form>
  )
}

/** The id of a user or a group; the defaults, and everybody's, have forms of their own. */
function readSubject(text: string): number | undefined {
  const typed = text.trim().replace('−', '-')
  const id = /^-?\d{1,15}$/.test(typed) ? Number(typed) : undefined
  return id === undefined || isDefault(id) || id === EVERYBODY ? undefined : id
}
