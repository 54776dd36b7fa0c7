import type { WireFault } from '../../../web/api.ts'
import { attempt } from '../../dialogs/attempt.ts'
import { act } from '../../request.ts'
import { words } from '../../words/language.ts'
import { chatLabel } from '../chat-label.ts'
import { faults } from '../panel-data.ts'
import { FaultForm } from './fault-form.tsx'

/** Lists what goes wrong on purpose: switched on here, counted as it hits. */
export function FaultsTab() {
  const { panel } = words.value
  return (
    <div class="panel-scroll">
      <FaultForm />
      <h3 class="faults-title">{panel.faults.on}</h3>
      {faults.value.length === 0 ? (
        <p class="hint faults-none">{panel.faults.none}</p>
      ) : (
        <ul class="faults">
          {faults.value.map((fault) => (
            <FaultRow key={fault.id} fault={fault} />
          ))}
        </ul>
      )}
    </div>
  )
}

function FaultRow({ fault }: { fault: WireFault }) {
  const { faults } = words.value.panel
  const { id, kind, hits, times } = fault
  const isOver = times !== null && times !== undefined && hits >= times
  return (
    <li class="fault">
      <div class="fault-words">
        <p>{faults.kinds[kind]}</p>
        <p class="hint small num">{factsOf(fault).join(' · ')}</p>
        <span class={`mark ${isOver ? '' : hits > 0 ? 'mark-warm' : ''}`}>
          {isOver ? faults.over(hits) : faults.hits(hits)}
        </span>
      </div>
      <button
        type="button"
        class="button"
        onClick={() => void attempt(() => act('/faults/:id/end', {}, id))}
      >
        {isOver ? faults.takeAway : faults.switchOff}
      </button>
    </li>
  )
}

function factsOf(fault: WireFault): string[] {
  const { faults, calls } = words.value.panel
  const { method, times, chat_id: chatId = 0, thread_id: threadId } = fault
  const facts = [
    chatId === 0 ? method || faults.anyMethod : chatLabel(chatId),
    threadId === undefined ? '' : faults.topicNumber(threadId),
    fault.retry_after === undefined ? '' : calls.retryAfter(fault.retry_after),
    fault.delay_ms === undefined ? '' : faults.delayOf(fault.delay_ms),
    times === null || times === undefined ? '' : faults.timesOf(times),
  ]
  return facts.filter((fact) => fact !== '')
}
