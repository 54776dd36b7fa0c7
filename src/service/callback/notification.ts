import { type CallbackNotification, toModelName } from '../../contract/tasks.ts'

/** How a task ended, in what its owner may read. */
export interface TaskEnding {
  taskId: number
  endpoint: string
  outcome:
    | { status: 'success'; resultUrls: string[] }
    | { status: 'fail'; code: number; message: string }
}

/** Builds the notification of a task's end. @param timestamp In whole seconds. */
export function buildNotification(
  { taskId, endpoint, outcome }: TaskEnding,
  timestamp: number,
): CallbackNotification {
  const succeeded = outcome.status === 'success'
  return {
    task_id: taskId,
    status: outcome.status,
    code: succeeded ? 200 : outcome.code,
    result_urls: succeeded ? outcome.resultUrls : null,
    error: succeeded ? null : outcome.message,
    model: toModelName(endpoint),
    timestamp,
  }
}
