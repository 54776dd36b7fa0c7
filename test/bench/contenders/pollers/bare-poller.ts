// The plainest poller: asks for each task, and again three seconds after the answer. It records nothing, so
// a restart forgets all of it, and is what our polling is measured against.

import { Agent, request } from 'undici'
import { POLL_MS } from '../../../../src/bot/media/task/poll-pace.ts'

const { SERVICE_URL = '', TASKS = '0' } = process.env
const dispatcher = new Agent({ pipelining: 1, connections: 250 })

async function poll(taskId: number): Promise<void> {
  // A connection that the service was just closing is the only trouble here.
  const status = await readStatus(taskId).catch(() => 'generating')
  if (status === 'generating') setTimeout(poll, POLL_MS, taskId)
}

async function readStatus(taskId: number): Promise<string> {
  const headers = { authorization: 'Bearer bench-key' }
  const { body } = await request(`${SERVICE_URL}/task/${taskId}`, { headers, dispatcher })
  return ((await body.json()) as { status: string }).status
}

for (let taskId = 1; taskId <= Number(TASKS); taskId += 1) {
  setTimeout(poll, (taskId / Number(TASKS)) * POLL_MS, taskId)
}
process.stdout.write(`${JSON.stringify({ msg: 'ready' })}\n`)
process.once('SIGTERM', () => process.exit(0))
