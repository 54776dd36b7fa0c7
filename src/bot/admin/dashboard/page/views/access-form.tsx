import { useState } from 'preact/hooks'
import type { AccessBody, Role, RoleBody, WireAccess, WireUser } from '../../api.ts'
import { Select } from '../parts/choice.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { nameOf } from '../parts/user-label.tsx'
import { useSave } from '../talk/use-save.ts'
import { words } from '../words/language.ts'
import { AccessTag } from './access-tag.tsx'

/** Shows what a user may do, and beside it the ways to change that for a reader who may. */
export function AccessForm(props: { user: WireUser; access: WireAccess; canChange: boolean }) {
  const { user, access, canChange } = props
  const { access: text } = words.value
  return (
    <div class="stack">
      <p>
        <AccessTag access={access} />
      </p>
      {canChange ? <Decisions user={user} access={access} /> : null}
      {canChange && !access.isRoleFixed ? (
        <RoleChoice user={user} access={access} />
      ) : (
        <p>
          {text.role}: {text.roles[access.role ?? 'none']}
        </p>
      )}
      <p class="hint small">
        {access.isRoleFixed ? text.fixed : text.roleHint[access.role ?? 'none']}
      </p>
    </div>
  )
}

/** Asks once more before a block, where its button was: a block is the change that its user feels at once. */
function Decisions({ user, access }: { user: WireUser; access: WireAccess }) {
  const [isAsking, setIsAsking] = useState(false)
  const { isSaving, problem, save } = useSave()
  const { access: text, cancel } = words.value
  const decide = (decision: AccessBody['decision']) => {
    setIsAsking(false)
    void save('PUT', `/users/${user.id}/access`, { decision } satisfies AccessBody)
  }
  if (isAsking) {
    return (
      <div class="note" role="alertdialog" aria-label={text.block}>
        <p>{text.blockSure(nameOf(user))}</p>
        <div class="save-row">
          <button
            type="button"
            class="button button-danger"
            ref={(button) => button?.focus()}
            onClick={() => decide('blocked')}
          >
            {text.block}
          </button>
          <button type="button" class="button" onClick={() => setIsAsking(false)}>
            {cancel}
          </button>
        </div>
      </div>
    )
  }
  const isAsked = access.decision === 'requested'
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <div class="save-row" aria-busy={isSaving}>
        {access.status === 'insider' ? null : (
          <button type="button" class="button button-main" onClick={() => decide('allowed')}>
            {text.allow}
          </button>
        )}
        {isAsked ? (
          <button type="button" class="button" onClick={() => decide('refused')}>
            {text.refuse}
          </button>
        ) : null}
        {access.status === 'blocked' || access.role === 'admin' ? null : (
          <button type="button" class="button button-danger" onClick={() => setIsAsking(true)}>
            {text.block}
          </button>
        )}
      </div>
    </>
  )
}

function RoleChoice({ user, access }: { user: WireUser; access: WireAccess }) {
  const { problem, save } = useSave()
  const { access: text } = words.value
  return (
    <>
      <Select<Role | 'none'>
        label={text.role}
        isLabelled
        value={access.role ?? 'none'}
        options={(['none', 'viewer', 'admin'] as const).map((value) => {
          return { value, label: text.roles[value] }
        })}
        onChange={(value) => {
          const role = value === 'none' ? null : value
          void save('PUT', `/users/${user.id}/role`, { role } satisfies RoleBody)
        }}
      />
      {problem === undefined ? null : <ProblemNote problem={problem} />}
    </>
  )
}
