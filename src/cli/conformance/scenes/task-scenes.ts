import { createHash } from 'node:crypto'
import { readTaskId } from '../../../contract/client/read-answers.ts'
import { isJsonObject } from '../../../platform/http/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Wire, WireAnswer } from '../wire.ts'

/** One poll in 3 s is allowed; a clip takes up to a quarter of an hour. */
const POLL_MS = 3_100
const LATER_POLL_MS = 10_000
const EAGER_MS = 60_000
const WAIT_MS_MAX = 25 * 60_000

const LINK_MS_MAX = 60_000

/** A creation that was paid for, with the balance around it. */
export interface CreationScene {
  path: string
  answer: WireAnswer
  before: bigint | undefined
  after: bigint | undefined
  taskId: number | undefined
}

/** A task from its creation to its end. */
export interface TaskScene extends CreationScene {
  /** The polls in order; none if no task was created. */
  polls: WireAnswer[]
  /** The status of the last poll, if that is an end. */
  end: 'success' | 'fail' | undefined
  /** A poll after the end. */
  pollAfterEnd: WireAnswer | undefined
  afterEnd: bigint | undefined
  /** The outcome of fetching each link twice: status and a digest of the bytes. */
  links: { url: string; first: string; second: string }[]
}

/** Reads the status of a task from an answer. */
export function readStatus({ json }: WireAnswer): unknown {
  return isJsonObject(json) ? json.status : undefined
}

/** Creates tasks and follows them to their ends. */
export function createTaskScenes({
  wire,
  readBalance,
  clock,
}: {
  wire: Pick<Wire, 'ask'>
  readBalance: () => Promise<bigint | undefined>
  clock: Clock
}) {
  return { create, follow, poll }

  async function create(
    path: string,
    body: Record<string, unknown>,
    callbackUrl?: string,
  ): Promise<CreationScene> {
    const headers = callbackUrl === undefined ? {} : { 'x-callback-url': callbackUrl }
    const before = await readBalance()
    const answer = await wire.ask({ method: 'POST', path: `/${path}`, body, headers })
    const after = await readBalance()
    const taskId = answer.status === 200 ? readTaskId(answer.json) : undefined
    return { path, answer, before, after, taskId }
  }

  async function follow(creation: CreationScene): Promise<TaskScene> {
    const { taskId } = creation
    const none = { polls: [], end: undefined, pollAfterEnd: undefined, links: [] }
    if (taskId === undefined) return { ...creation, ...none, afterEnd: undefined }
    const polls = await pollToEnd(taskId)
    const afterEnd = await readBalance()
    const end = toEnd(polls.at(-1))
    const urls = end === 'success' ? readLinks(polls.at(-1)) : []
    const first = await Promise.all(urls.map(fetchLink))
    const pollAfterEnd = end === undefined ? undefined : await poll(taskId)
    const second = await Promise.all(urls.map(fetchLink))
    const links = urls.map((url, index) => ({
      url,
      first: first[index] ?? '',
      second: second[index] ?? '',
    }))
    return { ...creation, polls, end, pollAfterEnd, afterEnd, links }
  }

  async function pollToEnd(taskId: number): Promise<WireAnswer[]> {
    const begunAt = clock.now()
    const polls: WireAnswer[] = []
    do {
      polls.push(await poll(taskId, clock.now() - begunAt < EAGER_MS ? POLL_MS : LATER_POLL_MS))
    } while (toEnd(polls.at(-1)) === undefined && clock.now() - begunAt < WAIT_MS_MAX)
    return polls
  }

  async function poll(taskId: number, waitMs = POLL_MS): Promise<WireAnswer> {
    await clock.sleep(waitMs)
    return await wire.ask({ method: 'GET', path: `/task/${taskId}` })
  }
}

function toEnd(poll: WireAnswer | undefined): 'success' | 'fail' | undefined {
  const status = poll && readStatus(poll)
  return status === 'success' || status === 'fail' ? status : undefined
}

function readLinks(poll: WireAnswer | undefined): string[] {
  const urls = isJsonObject(poll?.json) ? poll.json.result_urls : undefined
  return Array.isArray(urls) ? urls.filter((url) => URL.canParse(String(url))).map(String) : []
}

/** @returns The status, size and digest of the file, or that no answer came. */
async function fetchLink(url: string): Promise<string> {
  try {
    const { status, body } = await fetch(url, { signal: AbortSignal.timeout(LINK_MS_MAX) })
    const hash = createHash('sha256')
    let size = 0
    for await (const piece of body ?? []) {
      hash.update(piece)
      size += piece.byteLength
    }
    return `${status}, ${size} bytes, ${hash.digest('hex').slice(0, 8)}`
  } catch {
    return 'no answer'
  }
}
