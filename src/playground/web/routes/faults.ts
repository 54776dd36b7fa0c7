import type { FastifyInstance } from 'fastify'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import { FAULT_KINDS, type FaultName, type WireFault } from '../api.ts'
import type { SwitchedFaults } from '../faults.ts'
import { type Fields, readFields, readId } from '../http/read-fields.ts'

/** No client waits longer, and a timer cannot wait for ever. */
const DELAY_MS_MAX = 600_000

/** Switches faults on and off. */
export function faultRoutes(app: FastifyInstance, faults: SwitchedFaults): void {
  app.post('/faults', async ({ body }): Promise<WireFault> => {
    const fields = readFields(body)
    const kind = FAULT_KINDS.find((known) => known === fields.fields.kind)
    if (kind === undefined) throw new PageRefusal(422, `kind is one of ${FAULT_KINDS.join(', ')}`)
    return faults.switchOn({
      kind,
      method: fields.ifGiven(fields.text, 'method') ?? '',
      times: fields.ifGiven(atLeastOne(fields), 'times') ?? null,
      ...readDetails(kind, fields),
    })
  })

  app.post<{ Params: { id: string } }>('/faults/:id/end', async ({ params }) => {
    faults.switchOff(readId(params.id))
    return {}
  })
}

function readDetails(kind: FaultName, fields: Fields) {
  switch (kind) {
    case '429':
      return { retry_after: fields.ifGiven(atLeastOne(fields), 'retry_after') ?? 5 }
    case 'slow':
      return { delay_ms: fields.ifGiven(delay(fields), 'delay_ms') ?? 3_000 }
    case 'blocked':
      return { chat_id: fields.number('chat_id') }
    case 'topic_deleted':
      return { chat_id: fields.number('chat_id'), thread_id: fields.number('thread_id') }
    case 'reset':
    case '5xx':
      return {}
  }
}

function delay(fields: Fields) {
  return (name: string): number => {
    const value = atLeastOne(fields)(name)
    if (value > DELAY_MS_MAX) throw new PageRefusal(422, `${name} is more than ${DELAY_MS_MAX}`)
    return value
  }
}

function atLeastOne({ number }: Fields) {
  return (name: string): number => {
    const value = number(name)
    if (value < 1) throw new PageRefusal(422, `${name} is less than 1`)
    return value
  }
}
