import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { FAULT_KINDS, type FaultName } from '../../../web/api.ts'
import { attempt } from '../../dialogs/attempt.ts'
import { act } from '../../request.ts'
import { chats } from '../../state/chats.ts'
import { nameOf, titleOf } from '../../state/names.ts'
import { people } from '../../state/people.ts'
import { words } from '../../words/language.ts'
import { methods } from '../panel-data.ts'
import { type FaultFields, hitsCalls, readFault } from './read-fault.ts'

const FIRST: FaultFields = {
  kind: '429',
  method: '',
  times: '',
  retryAfterSeconds: '3',
  delayMs: '2000',
  where: '',
}

/** Switches a fault on. */
export function FaultForm() {
  const { faults } = words.value.panel
  const fields = useSignal(FIRST)
  const set = (change: Partial<FaultFields>) => {
    fields.value = { ...fields.value, ...change }
  }
  const { kind, method, times, retryAfterSeconds, delayMs } = fields.value
  const fault = readFault(fields.value)
  return (
    <form
      class="fault-form"
      aria-label={faults.switchOn}
      onSubmit={(event) => {
        event.preventDefault()
        if (fault !== undefined) void attempt(() => act('/faults', fault))
      }}
    >
      <Field label={faults.kind}>
        <select
          class="panel-field"
          value={kind}
          onChange={({ currentTarget }) =>
            set({ kind: currentTarget.value as FaultName, where: '' })
          }
        >
          {FAULT_KINDS.map((name) => (
            <option key={name} value={name}>
              {faults.kinds[name]}
            </option>
          ))}
        </select>
      </Field>
      <p class="hint small fault-about">{faults.about[kind]}</p>
      {hitsCalls(kind) ? (
        <>
          <Field label={faults.method}>
            <input
              class="panel-field"
              list="fault-methods"
              placeholder={faults.anyMethod}
              value={method}
              onInput={({ currentTarget }) => set({ method: currentTarget.value })}
            />
            <datalist id="fault-methods">
              {methods.value.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </Field>
          <Count
            label={faults.times}
            placeholder={faults.untilOff}
            value={times}
            onInput={(value) => set({ times: value })}
          />
        </>
      ) : (
        <Where fields={fields.value} onChoose={(where) => set({ where })} />
      )}
      {kind === '429' ? (
        <Count
          label={faults.retryAfter}
          value={retryAfterSeconds}
          onInput={(value) => set({ retryAfterSeconds: value })}
        />
      ) : null}
      {kind === 'slow' ? (
        <Count label={faults.delay} value={delayMs} onInput={(value) => set({ delayMs: value })} />
      ) : null}
      <button type="submit" class="button button-main" disabled={fault === undefined}>
        {faults.switchOn}
      </button>
    </form>
  )
}

/** Asks who blocks the bot, or which topic is deleted. */
function Where(props: { fields: FaultFields; onChoose: (where: string) => void }) {
  const { fields, onChoose } = props
  const { faults } = words.value.panel
  const isTopic = fields.kind === 'topic_deleted'
  const options = isTopic ? topicsToDelete() : peopleToBlock()
  return (
    <Field label={isTopic ? faults.topic : faults.person}>
      <select
        class="panel-field"
        value={fields.where}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        <option value="">{faults.choose}</option>
        {options.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  )
}

function peopleToBlock() {
  return people.value.map(({ user }) => ({ value: String(user.id), name: nameOf(user) }))
}

function topicsToDelete() {
  return (chats.value ?? []).flatMap(({ id, info }) =>
    info.value.topics.map(({ thread_id: threadId, name }) => ({
      value: `${id}/${threadId}`,
      name: `${titleOf(info.value.chat)} · ${name}`,
    })),
  )
}

function Count(props: {
  label: string
  value: string
  placeholder?: string
  onInput: (value: string) => void
}) {
  return (
    <Field label={props.label}>
      <input
        class="panel-field"
        inputMode="numeric"
        placeholder={props.placeholder ?? ''}
        value={props.value}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
      />
    </Field>
  )
}

function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: every caller gives it one field.
    <label class="fault-field">
      <span class="small">{label}</span>
      {children}
    </label>
  )
}
