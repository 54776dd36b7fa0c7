import { Task, TaskCreated } from '../../contract/tasks.ts'
import { createGuard } from '../../platform/guard.ts'
import type { Answer } from '../../platform/http/http-client.ts'
import { isJsonObject } from '../../platform/http/json.ts'
import { judgeStatus, type Verdict } from './failure.ts'
import { createPaidProvider, toSuccess } from './paid-work.ts'
import type { GenerationProvider, GenerationState } from './provider.ts'
import { type ProviderAccess, readJson } from './provider-http.ts'

/** The other service refuses to show a task more often. */
const POLL_INTERVAL_MS = 3000

const isCreated = createGuard(TaskCreated)
const isTask = createGuard(Task)

/** Relays tasks to another service with this interface, whose root ends in `/api/v1`. */
export function createRelayProvider(
  access: ProviderAccess,
  path: string,
): GenerationProvider<object> {
  return createPaidProvider({
    access,
    headers: { accept: 'application/json' },
    toBody: (params) => ({ ...params }),
    creation: ({ key }) => ({ path, headers: { 'idempotency-key': key } }),
    judge,
    accept(answer) {
      const created = readJson(answer)
      return isCreated(created) ? String(created.task_id) : undefined
    },
    poll: { path: (work) => `task/${work}`, intervalMs: POLL_INTERVAL_MS, readEnd },
    keys: { path: 'balance', areHonoured },
  })
}

function areHonoured({ headers }: Answer): boolean {
  return String(headers['accept-idempotency-key'])
    .split(/[\s,]+/)
    .includes('creation')
}

/** A service with this interface says with a 502 that its provider refused. A page is from a server in between. */
function judge(answer: Answer): Verdict {
  const isRefusal = answer.status === 502 && isJsonObject(readJson(answer))
  return isRefusal ? 'rejected' : judgeStatus(answer.status)
}

/** A task whose answer cannot be read continues until its deadline. */
function readEnd(task: unknown): GenerationState | undefined {
  if (!isTask(task)) return undefined
  if (task.status === 'success') return toSuccess(task.result_urls ?? [])
  if (task.status !== 'fail') return undefined
  return { status: 'fail', ...(task.error ?? { code: 502, message: 'The provider failed.' }) }
}
