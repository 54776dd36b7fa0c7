import { signCallback } from '../../../contract/callback-signature.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../platform/http/json.ts'
import { describeAnswer } from '../answer.ts'
import type { Arrival } from '../receiver.ts'
import { type Finding, failed, judgeProblems, notSeen, passed, type Rule } from '../rule.ts'
import type { CallbackScene } from '../scenes/callback-scene.ts'
import type { Scenes } from '../scenes/scenes.ts'
import { readStatus } from '../scenes/task-scenes.ts'

/** A receiver refuses what is older. */
const AGE_S_MAX = 300
/** How far from its time an attempt may be: networks are slow, and some clocks look once a second. */
const LATE_MS_MAX = 3_000
const SECOND_AFTER_MS = 5_000
/** 15 s after the first attempt or after the second: the interface does not say. */
const THIRD_AFTER_MS = [15_000, 20_000] as const
const READ_MS = 10_000
const ATTEMPTS = 3

type Manner = keyof Scenes['callbacks']

/** Rules about callbacks, which notify a client of the end of its task. */
export const CALLBACK_RULES: readonly Rule[] = [
  {
    id: 'callback-post',
    needs: 'receiver',
    judge: (scenes) =>
      judgeArrivals(scenes, ({ method, headers }) => {
        if (method !== 'POST') return method
        const type = String(headers['content-type'])
        return type.startsWith('application/json') ? undefined : `a body of type ${type}`
      }),
  },
  {
    id: 'callback-headers',
    needs: 'receiver',
    judge: (scenes) =>
      judgeArrivals(scenes, ({ headers, atUnix }) => {
        const timestamp = String(headers['x-callback-timestamp'])
        if (!/^\d+$/.test(timestamp)) return 'X-Callback-Timestamp is not digits only'
        const ageS = Math.abs(atUnix - Number(timestamp))
        if (ageS > AGE_S_MAX) return `X-Callback-Timestamp is ${ageS} s from now`
        const signature = String(headers['x-callback-signature'])
        return /^sha256=[\da-f]{64}$/i.test(signature)
          ? undefined
          : 'X-Callback-Signature is not sha256=<hex>'
      }),
  },
  {
    id: 'callback-signature',
    needs: 'receiver',
    async judge(scenes) {
      const secret = await scenes.findSecret()
      if (secret === undefined) return notSeen('a callback', 'no secret that can be read')
      return await judgeArrivals(scenes, ({ headers, body }) => {
        const timestamp = String(headers['x-callback-timestamp'])
        const { 'x-callback-signature': made } = signCallback({ secret, timestamp, body })
        const came = String(headers['x-callback-signature']).toLowerCase()
        // Another rule judges what is no signature at all.
        return came === made || !came.startsWith('sha256=') ? undefined : 'another signature'
      })
    },
  },
  {
    id: 'callback-body',
    needs: 'receiver',
    judge: (scenes) => judgeArrivals(scenes, (arrival) => findBodyProblem(arrival)),
  },
  {
    id: 'callback-task',
    needs: 'receiver',
    async judge(scenes) {
      const asked = 'callbacks beside the polls of their tasks'
      const all = await watchAll(scenes)
      const [reason] = all.flatMap((scene) => findUnsent(scene) ?? [])
      const came = all.filter(({ arrivals }) => arrivals.length > 0)
      if (came.length === 0) return notSeen(asked, reason ?? 'none came')
      return judgeProblems(asked, came.map(findOtherEnd), 'the same end and links in each')
    },
  },
  {
    id: 'callback-taken',
    needs: 'receiver',
    judge: (scenes) =>
      judgeManner(
        scenes,
        'take',
        'a callback that is answered with 204',
        ({ arrivals }) => (arrivals.length === 1 ? undefined : `it came ${arrivals.length} times`),
        failed,
      ),
  },
  {
    id: 'callback-any-2xx',
    needs: 'receiver',
    judge: (scenes) =>
      judgeManner(
        scenes,
        'keepSilent',
        'a callback that is answered with 202 at the second attempt',
        ({ arrivals }) => (arrivals.length === 2 ? undefined : `it came ${arrivals.length} times`),
      ),
  },
  {
    id: 'callback-attempts',
    needs: 'receiver',
    judge: (scenes) =>
      judgeManner(scenes, 'refuse', 'a callback that is refused', ({ arrivals }) => {
        const [first = 0, ...later] = arrivals.map(({ atMs }) => atMs)
        const afterMs = later.map((at) => at - first)
        const [second = Number.NaN, third = Number.NaN] = afterMs
        const [thirdFrom, thirdTo] = THIRD_AFTER_MS
        const isRight =
          arrivals.length === ATTEMPTS &&
          Math.abs(second - SECOND_AFTER_MS) <= LATE_MS_MAX &&
          third >= thirdFrom - LATE_MS_MAX &&
          third <= thirdTo + LATE_MS_MAX
        if (isRight) return undefined
        return `${arrivals.length} attempts, ${['0', ...afterMs.map(inSeconds)].join(', ')} s`
      }),
  },
  {
    id: 'callback-redirect',
    needs: 'receiver',
    judge: (scenes) =>
      judgeManner(scenes, 'refuse', 'a callback that is answered with 302', () =>
        scenes.arrivalsOf('followed').length > 0 ? 'the redirect was followed' : undefined,
      ),
  },
  {
    id: 'callback-read-timeout',
    needs: 'receiver',
    judge: (scenes) =>
      judgeManner(scenes, 'keepSilent', 'a callback that is not answered', ({ arrivals }) => {
        const [{ atMs = 0, cutAtMs } = {}] = arrivals
        if (cutAtMs === undefined) return 'it was never given up'
        const waitedMs = cutAtMs - atMs
        const isRight = Math.abs(waitedMs - READ_MS) <= LATE_MS_MAX
        return isRight ? undefined : `given up after ${inSeconds(waitedMs)} s`
      }),
  },
  {
    id: 'callback-keeps-task',
    needs: 'receiver',
    async judge({ callbacks, wire }) {
      const asked = 'the task of a refused callback, after the last attempt'
      const scene = await callbacks.refuse()
      const { end, taskId, arrivals } = scene
      if (arrivals.length === 0) return notSeen(asked, findUnsent(scene) ?? 'none came')
      const answer = await wire.ask({ method: 'GET', path: `/task/${taskId}` })
      const status = readStatus(answer)
      return status === end ? passed(asked, `${end}`) : failed(asked, `${end}, then ${status}`)
    },
  },
  {
    id: 'callback-fail',
    needs: 'failed',
    async judge({ watchFailed, options }) {
      const asked = 'the callback of a task that failed'
      if (options.callbackUrl === undefined) return notSeen(asked, 'it needs --callback-url')
      const scene = await watchFailed()
      const reason = findUnsent(scene)
      if (reason !== undefined) return notSeen(asked, reason)
      if (scene.end !== 'fail') return notSeen(asked, 'no task failed')
      if (scene.arrivals.length === 0) return failed(asked, 'none came')
      const problems = scene.arrivals.map((arrival) => findBodyProblem(arrival, 'fail'))
      return judgeProblems(asked, problems, 'status, code and error')
    },
  },
  {
    id: 'video-no-callback',
    needs: 'video',
    async judge({ watchVideo, options }) {
      const asked = 'a clip with X-Callback-Url'
      if (options.callbackUrl === undefined) return notSeen(asked, 'it needs --callback-url')
      const scene = await watchVideo()
      const reason = findUnsent(scene)
      if (reason !== undefined) return notSeen(asked, reason)
      const { arrivals } = scene
      return arrivals.length === 0 ? passed(asked, 'no callback') : failed(asked, 'a callback')
    },
  },
]

/** Judges every attempt that came. That one comes at all is a rule of its own. */
async function judgeArrivals(
  scenes: Scenes,
  findProblem: (arrival: Arrival) => string | undefined,
): Promise<Finding> {
  const all = await watchAll(scenes)
  const arrivals = all.flatMap((scene) => scene.arrivals)
  const asked = 'every callback'
  const [reason] = all.flatMap((scene) => findUnsent(scene) ?? [])
  if (arrivals.length === 0) return notSeen(asked, reason ?? 'none came')
  return judgeProblems(asked, arrivals.map(findProblem), `${arrivals.length} attempts`)
}

async function watchAll({ callbacks, hasCreation }: Scenes): Promise<CallbackScene[]> {
  if (!(await hasCreation())) return []
  return await Promise.all([callbacks.take(), callbacks.refuse()])
}

/** Judges what arrived for the task whose callbacks are treated in that manner. */
async function judgeManner(
  { callbacks, hasCreation }: Scenes,
  manner: Manner,
  asked: string,
  findProblem: (scene: CallbackScene) => string | undefined,
  whenNone = notSeen,
): Promise<Finding> {
  if (!(await hasCreation())) return notSeen(asked, 'no creation endpoint')
  const scene = await callbacks[manner]()
  const reason = findUnsent(scene)
  if (reason !== undefined) return notSeen(asked, reason)
  if (scene.arrivals.length === 0) return whenNone(asked, 'none came')
  return judgeProblems(asked, [findProblem(scene)], describeTimes(scene))
}

/** Finds why no callback could be sent: a service may refuse the address, and says so. */
function findUnsent({ callbackRefusal, taskId, answer, end }: CallbackScene): string | undefined {
  if (callbackRefusal !== undefined) {
    return `the address is refused: ${describeAnswer(callbackRefusal)}`
  }
  if (taskId === undefined) return `no task: ${describeAnswer(answer)}`
  return end === undefined ? 'no task ended' : undefined
}

function describeTimes({ arrivals }: CallbackScene): string {
  const [first] = arrivals
  return `after ${arrivals.map(({ atMs }) => inSeconds(atMs - (first?.atMs ?? 0))).join(', ')} s`
}

/** Finds the first field of the notification that is not as the interface shapes it. */
function findBodyProblem({ body }: Arrival, end?: 'fail'): string | undefined {
  const json = parseJson(body.toString())
  if (!isJsonObject(json)) return 'a body that is no JSON object'
  const { task_id, status, code, result_urls, error, model, timestamp } = json
  const isSuccess = status === 'success'
  const areLinks = Array.isArray(result_urls) && result_urls.length > 0
  const shapes = {
    task_id: Number.isInteger(task_id),
    status: status === 'fail' || (isSuccess && end === undefined),
    code: Number.isInteger(code) && (code === 200) === isSuccess,
    result_urls: isSuccess ? areLinks : result_urls === null,
    error: isSuccess ? error === null : typeof error === 'string',
    model: typeof model === 'string',
    timestamp: Number.isInteger(timestamp),
  }
  const [wrong] = Object.entries(shapes).find(([, isRight]) => !isRight) ?? []
  return wrong && `${wrong} is not as it should be`
}

/** Finds an attempt that names another task, or another end, than the polls show. */
function findOtherEnd({ arrivals, taskId, polls }: CallbackScene): string | undefined {
  const last = polls.at(-1)?.json
  for (const { body } of arrivals) {
    const json = parseJson(body.toString())
    if (!isJsonObject(json)) continue
    if (json.task_id !== taskId) return `task_id ${json.task_id} for task ${taskId}`
    const other = isJsonObject(last) ? findOtherField(json, last) : undefined
    if (other !== undefined) return other
  }
  return undefined
}

function findOtherField(callback: JsonObject, poll: JsonObject): string | undefined {
  if (callback.status !== poll.status) return `${callback.status}, and polled ${poll.status}`
  const [links, polled] = [callback.result_urls, poll.result_urls].map((urls) =>
    JSON.stringify(urls),
  )
  // Another rule judges a success without links.
  if (Array.isArray(poll.result_urls) && poll.result_urls.length === 0) return undefined
  return links === polled ? undefined : 'other result_urls than the poll has'
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(0)
}
