import type { Clock } from '../../../src/platform/time/clock.ts'
import { type Account, admit, take } from './accounts.ts'
import { findDestination } from './addresses.ts'
import { deliver } from './deliveries.ts'
import { type Fields, hasFields, Refused } from './refused.ts'
import type { ResultKind } from './results.ts'

const PROMPT_LENGTH_MAX = 5000
const POLL_EVERY_MS = 3_000

/** The picture that fails, and the one that nobody draws. */
const FAILING_PROMPT = 'a picture that tears'
const REJECTED_PROMPT = 'a picture that nobody draws'

type State = 'waiting' | 'queuing' | 'generating' | 'success' | 'fail'
type Life = readonly (readonly [State, number])[]
/** When each state begins, after the creation. */
const QUICK: Life = [['success', 1_600]]
const SLOW: Life = [
  ['queuing', 1_500],
  ['generating', 4_000],
  ['success', 11_000],
]
const TORN: Life = [
  ['generating', 700],
  ['fail', 2_500],
]

interface Work {
  result: ResultKind
  /** The name of the provider's model. */
  maker: string
  kopecks: (body: Fields) => number
  life: Life
  callsBack: boolean
  perMinute: number
  findProblem: (body: Fields) => Record<string, string | false>
}

const WORKS: Readonly<Record<string, Work>> = {
  '/videos/vidgen-generate': {
    result: 'mp4',
    maker: 'vidgen',
    kopecks: ({ quality, duration }) =>
      quality === '1080p' ? 6_650 : duration === 10 ? 7_210 : 3_890,
    life: SLOW,
    callsBack: false,
    perMinute: 3,
    findProblem: ({ duration, quality, image_url: image, aspect_ratio: ratio }) => ({
      duration: !isOneOf(duration, [5, 10]) && '5 or 10',
      quality: !isOneOf(quality, ['720p', '1080p'])
        ? '720p or 1080p'
        : quality === '1080p' && duration === 10 && 'five seconds at most in 1080p',
      image_url: image !== undefined && !isWebAddress(image) && 'a web address',
      aspect_ratio:
        (ratio !== undefined || image === undefined) &&
        !['1280:720', '720:1280'].includes(String(ratio)) &&
        '1280:720 or 720:1280',
    }),
  },
  '/images/imagegen-generate': {
    result: 'png',
    maker: 'brush-2',
    kopecks: () => 420,
    life: QUICK,
    callsBack: true,
    perMinute: 60,
    findProblem: () => ({}),
  },
  '/sounds/soundgen-generate': {
    result: 'mp3',
    maker: 'bell-1',
    kopecks: () => 255,
    life: QUICK,
    callsBack: true,
    perMinute: 60,
    findProblem: () => ({}),
  },
}

interface Task {
  id: number
  owner: Account
  state: State
  urls: string[] | null
  error: { code: number; message: string; hint: string } | null
}

export interface TasksDeps {
  clock: Clock
  /** Where the files of results are read. */
  filesRoot: () => string
  /** Runs something later, until the service stops. */
  later: (delayMs: number, work: () => void) => void
  refund: (account: Account, kopecks: number) => void
  openTo: string | undefined
  signal: AbortSignal
}

/** Takes orders of clips, pictures and sounds, and has them go through their states. */
export function createTasks({ clock, filesRoot, later, refund, openTo, signal }: TasksDeps) {
  const tasks = new Map<number, Task>()
  return { isKnown: (path: string) => path in WORKS, create, read }

  async function create(
    account: Account,
    path: string,
    { body, callbackUrl }: { body: unknown; callbackUrl: string | undefined },
  ): Promise<object> {
    const work = WORKS[path]
    if (work === undefined) throw new Refused(404, 'Nothing lives here.')
    const order = readOrder(work, body)
    if (callbackUrl !== undefined) {
      const problem = await findDestination(callbackUrl, openTo)
      if (typeof problem === 'string') {
        throw new Refused(422, [{ field: 'X-Callback-Url', problem }])
      }
    }
    admit(account, path, { most: work.perMinute, clock })
    const kopecks = work.kopecks(order)
    take(account, kopecks)
    if (work.result === 'png' && order.prompt === REJECTED_PROMPT) {
      refund(account, kopecks)
      throw new Refused(502, 'The brush refuses this one.')
    }
    const id = 700_001 + tasks.size * 7
    const task: Task = { id, owner: account, state: 'waiting', urls: null, error: null }
    tasks.set(id, task)
    const isTorn = work.result === 'png' && order.prompt === FAILING_PROMPT
    const url = work.callsBack ? callbackUrl : undefined
    for (const [state, atMs] of isTorn ? TORN : work.life) {
      later(atMs, () => enter(task, state, { work, kopecks, url }))
    }
    return { task_id: id, price: (kopecks / 100).toFixed(2), accepted: true }
  }

  function enter(
    task: Task,
    state: State,
    { work, kopecks, url }: { work: Work; kopecks: number; url: string | undefined },
  ): void {
    task.state = state
    if (state === 'success') task.urls = [`${filesRoot()}/${task.id}.${work.result}`]
    if (state === 'fail') {
      task.error = { code: 1042, message: 'The canvas tore.', hint: 'Order it again.' }
      refund(task.owner, kopecks)
    }
    if (url === undefined || (state !== 'success' && state !== 'fail')) return
    const notification = {
      task_id: task.id,
      status: state,
      code: task.error?.code ?? 200,
      result_urls: task.urls,
      error: task.error?.message ?? null,
      model: work.maker,
      timestamp: Math.floor(clock.date().getTime() / 1000),
      version: 3,
    }
    const { secret } = task.owner
    deliver({ url, secret, notification }, { clock, openTo, signal }).catch(() => {})
  }

  function read(account: Account, idText: string): object {
    const task = /^\d+$/.test(idText) ? tasks.get(Number(idText)) : undefined
    if (task === undefined) throw new Refused(404, 'We never heard of that task.')
    if (task.owner !== account) throw new Refused(403, 'That task is somebody else’s.')
    admit(account, `task ${task.id}`, { most: 1, clock, spanMs: POLL_EVERY_MS })
    const { id, state, urls, error } = task
    return { id, status: state, result_urls: urls, error, progress: toProgress(state) }
  }
}

/** @throws {Refused} 422 with all that is wrong, field by field. */
function readOrder({ findProblem }: Work, body: unknown): Fields {
  if (!hasFields(body)) throw new Refused(422, [{ field: 'body', problem: 'an object' }])
  const { prompt, duration = 5, quality = '720p' } = body
  const length = typeof prompt === 'string' ? [...prompt].length : 0
  const problems = {
    prompt: (length < 1 || length > PROMPT_LENGTH_MAX) && `1 to ${PROMPT_LENGTH_MAX} characters`,
    ...findProblem({ ...body, duration, quality }),
  }
  const wrong = Object.entries(problems).flatMap(([field, problem]) =>
    typeof problem === 'string' ? [{ field, problem }] : [],
  )
  if (wrong.length > 0) throw new Refused(422, wrong)
  return { ...body, duration, quality }
}

function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.includes(value)
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
}

function toProgress(state: State): number {
  return { waiting: 0, queuing: 10, generating: 50, success: 100, fail: 100 }[state]
}
