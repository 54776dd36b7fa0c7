import { type LocalServer, reset, sendJson, serve } from '../local-server.ts'

/** The faults of a receiver with the callbacks of a task: how often it fails, and how. */
export const RECEIVER_FAULTS = {
  none: { fails: 0, how: 200 },
  'fails-once': { fails: 1, how: 500 },
  'fails-twice': { fails: 2, how: 503 },
  'fails-always': { fails: 3, how: 410 },
  'redirects-once': { fails: 1, how: 302 },
  'resets-always': { fails: 3, how: 'reset' },
  'hangs-once': { fails: 1, how: 'hang' },
} as const satisfies Record<string, { fails: number; how: number | 'reset' | 'hang' }>

export type ReceiverFault = keyof typeof RECEIVER_FAULTS
export const RECEIVER_FAULT_NAMES = Object.keys(RECEIVER_FAULTS) as ReceiverFault[]

/** A callback as it came. */
export interface Received {
  taskId: number
  fault: ReceiverFault
  body: Buffer
  timestamp: string
  signature: string
  /** Milliseconds of this machine's clock. */
  at: number
}

export interface Receiver extends LocalServer {
  received: readonly Received[]
}

/** A customer's server. The last segment of a URL's path is the fault. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = await serve(({ path, headers, body }, response) => {
    const name = path.split('/').at(-1)
    const fault = RECEIVER_FAULT_NAMES.find((known) => known === name)
    if (fault === undefined) return sendJson(response, 404, {})
    const taskId: number = JSON.parse(body.toString()).task_id
    const before = received.filter((each) => each.taskId === taskId).length
    received.push({
      taskId,
      fault,
      body,
      timestamp: String(headers['x-callback-timestamp']),
      signature: String(headers['x-callback-signature']),
      at: Date.now(),
    })
    const { fails, how } = RECEIVER_FAULTS[fault]
    if (before >= fails) return response.writeHead(204).end()
    if (how === 'reset') return reset(response)
    if (how === 'hang') return undefined
    return response.writeHead(how, { location: path }).end('no')
  })
  return { ...server, received }
}
