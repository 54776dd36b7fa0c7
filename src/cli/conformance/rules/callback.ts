import { signCallback } from '../../../contract/callback-signature.ts'
import { isJsonObject, parseJson } from '../../../platform/http/json.ts'
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

type Manner = keyof NonNullable<Scenes['callbacks']>

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
    judge: (scenes) => judgeArrivals(scenes, findBodyProblem),
  },
  {
    id: 'callback-task',
    needs: 'receiver',
    async judge({ callbacks, hasCreation }) {
      const asked = 'callbacks beside the polls of their tasks'
      if (callbacks === undefined || !(await hasCreation())) return notSeen(asked, 'no callback')
      const scenes = [await callbacks.take(), await callbacks.refuse()]
      if (scenes.every(({ arrivals }) => arrivals.length === 0)) return notSeen(asked, 'none came')
      return judgeProblems(asked, scenes.map(findOtherEnd), 'the same end in each')
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
    id: 'callback-attempts',
    needs: 'receiver',
    judge: (scenes) =>
      judgeManner(scenes, 'refuse', 'a callback that is answered with 500', ({ arrivals }) => {
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
    judge: (scenes) =>
      judgeManner(scenes, 'refuse', 'the task of a refused callback', (scene) => {
        const status = scene.pollAfterAttempts && readStatus(scene.pollAfterAttempts)
        return status === scene.end ? undefined : `${scene.end}, then ${status}`
      }),
  },
  {
    id: 'video-no-callback',
    needs: 'video',
    async judge({ video, videoArrivals, options }) {
      const asked = 'a clip with X-Callback-Url'
      if (options.callbackUrl === undefined) return notSeen(asked, 'it needs --callback-url')
      const { end } = await video()
      if (end === undefined) return notSeen(asked, 'no clip')
      return videoArrivals().length === 0
        ? passed(asked, 'no callback')
        : failed(asked, 'a callback')
    },
  },
]

/** Judges the callbacks that were taken. That one comes at all is a rule of its own. */
async function judgeArrivals(
  scenes: Scenes,
  findProblem: (arrival: Arrival) => string | undefined,
): Promise<Finding> {
  return await judgeManner(scenes, 'take', 'a callback', ({ arrivals }) =>
    arrivals.map(findProblem).find((problem) => problem !== undefined),
  )
}

/** Judges what arrived for the task whose callbacks are treated in that manner. */
async function judgeManner(
  { callbacks, hasCreation }: Scenes,
  manner: Manner,
  asked: string,
  findProblem: (scene: CallbackScene) => string | undefined,
  whenNone = notSeen,
): Promise<Finding> {
  const isThere = await hasCreation()
  if (callbacks === undefined || !isThere) return notSeen(asked, 'no creation endpoint')
  const scene = await callbacks[manner]()
  if (scene.end === undefined) return notSeen(asked, 'no task ended')
  if (scene.arrivals.length === 0) return whenNone(asked, 'none came')
  return judgeProblems(asked, [findProblem(scene)], describeTimes(scene))
}

function describeTimes({ arrivals }: CallbackScene): string {
  const [first] = arrivals
  return `after ${arrivals.map(({ atMs }) => inSeconds(atMs - (first?.atMs ?? 0))).join(', ')} s`
}

/** Finds the first field of the notification that is not as the interface shapes it. */
function findBodyProblem({ body }: Arrival): string | undefined {
  const json = parseJson(body.toString())
  if (!isJsonObject(json)) return 'a body that is no JSON object'
  const { task_id, status, code, result_urls, error, model, timestamp } = json
  const isSuccess = status === 'success'
  const areLinks = Array.isArray(result_urls) && result_urls.length > 0
  const shapes = {
    task_id: Number.isInteger(task_id),
    status: isSuccess || status === 'fail',
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
  const last = polls.at(-1)
  for (const { body } of arrivals) {
    const json = parseJson(body.toString())
    if (!isJsonObject(json)) continue
    if (json.task_id !== taskId) return `task_id ${json.task_id} for task ${taskId}`
    if (last !== undefined && json.status !== readStatus(last))
      return `${json.status}, and polled otherwise`
  }
  return undefined
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(0)
}
