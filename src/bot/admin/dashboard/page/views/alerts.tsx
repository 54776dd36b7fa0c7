import { useState } from 'preact/hooks'
import type { WireAlerts } from '../../api.ts'
import { readAmount } from '../limits/read-amount.ts'
import { Select } from '../parts/choice.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Reading } from '../parts/reading.tsx'
import { SaveRow } from '../parts/save-row.tsx'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { useSave } from '../talk/use-save.ts'
import { formatHour } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { toField } from '../words/money.ts'

/** Shows what admins are notified of, and when the digest comes. */
export function AlertsView({ canChange, timeZone }: { canChange: boolean; timeZone: string }) {
  const read = useRead<WireAlerts>('/alerts')
  const { alerts: text, sections } = words.value
  return (
    <View title={sections.alerts} hasBack subtitle={text.hint}>
      <section class="card narrow" aria-label={sections.alerts}>
        <Reading read={read} lines={8}>
          {(alerts) => <AlertsForm alerts={alerts} canChange={canChange} timeZone={timeZone} />}
        </Reading>
      </section>
    </View>
  )
}

interface Typed {
  balance: string
  days: string
  times: string
  failures: boolean
  hour: string
}

type Faults = Partial<Record<'balance' | 'days' | 'times', string>>

const DAYS = { min: 1, max: 365 }
const TIMES = { min: 2, max: 100 }

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour))

/** The alerts, changed together; typed values stay when the alerts are read again meanwhile. */
function AlertsForm(props: { alerts: WireAlerts; canChange: boolean; timeZone: string }) {
  const { alerts, canChange, timeZone } = props
  const [typed, setTyped] = useState<Typed>(() => toTyped(alerts))
  const [faults, setFaults] = useState<Faults>({})
  const saving = useSave()
  const { alerts: text } = words.value
  const change = (part: Partial<Typed>) => {
    setTyped({ ...typed, ...part })
    setFaults({})
    saving.clear()
  }
  const submit = () => {
    const read = readTyped(typed)
    setFaults(read.faults)
    if (read.alerts !== undefined) void saving.save('PUT', '/alerts', read.alerts)
  }
  return (
    <Form onSubmit={submit}>
      <fieldset class="stack plain" disabled={!canChange}>
        <legend class="unseen">{words.value.sections.alerts}</legend>
        <Field
          label={text.balanceBelow}
          hint={text.balanceHint}
          problem={faults.balance}
          value={typed.balance}
          inputMode="decimal"
          onInput={(balance) => change({ balance })}
        />
        <Field
          label={text.daysLeft}
          hint={text.daysHint}
          problem={faults.days}
          value={typed.days}
          inputMode="numeric"
          onInput={(days) => change({ days })}
        />
        <Field
          label={text.unusual}
          hint={text.unusualHint}
          problem={faults.times}
          value={typed.times}
          inputMode="numeric"
          onInput={(times) => change({ times })}
        />
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={typed.failures}
            aria-checked={typed.failures}
            onChange={(event) => change({ failures: event.currentTarget.checked })}
          />
          <span>{text.failures}</span>
        </label>
        <Select
          label={`${text.digest} (${timeZone})`}
          isLabelled
          value={typed.hour}
          options={[
            { value: '', label: text.noDigest },
            ...HOURS.map((value) => ({ value, label: formatHour(Number(value)) })),
          ]}
          onChange={(hour) => change({ hour })}
        />
      </fieldset>
      {canChange ? <SaveRow saving={saving} /> : null}
    </Form>
  )
}

function toTyped(alerts: WireAlerts): Typed {
  return {
    balance: toField(alerts.balanceBelowMicroRub),
    days: toText(alerts.daysLeftBelow),
    times: toText(alerts.unusualTimes),
    failures: alerts.serviceFailures,
    hour: alerts.digestHour === null ? '' : String(alerts.digestHour),
  }
}

function readTyped(typed: Typed): { alerts?: WireAlerts; faults: Faults } {
  const balance = readAmount(typed.balance)
  const days = readWhole(typed.days, DAYS)
  const times = readWhole(typed.times, TIMES)
  if (balance.fault !== undefined || days === undefined || times === undefined) {
    const { numberMalformed } = words.value.problems
    return {
      faults: {
        ...(balance.fault === undefined ? {} : { balance: balance.fault }),
        ...(days === undefined ? { days: numberMalformed(DAYS.min, DAYS.max) } : {}),
        ...(times === undefined ? { times: numberMalformed(TIMES.min, TIMES.max) } : {}),
      },
    }
  }
  const alerts = {
    balanceBelowMicroRub: balance.microRub,
    daysLeftBelow: days,
    unusualTimes: times,
    serviceFailures: typed.failures,
    digestHour: typed.hour === '' ? null : Number(typed.hour),
  }
  return { alerts, faults: {} }
}

/** @returns Null for an empty field; undefined for what is no whole number within the bounds. */
function readWhole(text: string, { min, max }: typeof DAYS): number | null | undefined {
  const typed = text.trim()
  if (typed === '') return null
  const number = /^\d{1,6}$/.test(typed) ? Number(typed) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

function toText(number: number | null): string {
  return number === null ? '' : String(number)
}
