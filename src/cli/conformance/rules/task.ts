import { TASK_STATUSES } from '../../../contract/task.ts'
import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import { describeAnswer, type WireAnswer } from '../answer.ts'
import { inRoubles } from '../money.ts'
import { type Finding, failed, judgeProblems, notSeen, passed, type Rule } from '../rule.ts'
import type { Scenes } from '../scenes/scenes.ts'
import {
  type CreationScene,
  type EndedTask,
  readStatus,
  type Task,
  type TaskScene,
} from '../scenes/task-scenes.ts'
import type { LinkedFile } from '../wire.ts'
import { findFileProblem } from './files.ts'

/** No account has so many tasks. */
const UNKNOWN_TASK_ID = 2_000_000_011

/** A creation that is right may be refused so, and the service keeps its rules. */
const REFUSED_STATUSES = [402, 429, 502, 503]

/** Rules about creating tasks and polling them. */
export const TASK_RULES: readonly Rule[] = [
  {
    id: 'task-unknown',
    needs: 'nothing',
    async judge({ wire }) {
      const asked = 'the task of an id that is not there'
      const answer = await wire.ask({ method: 'GET', path: `/task/${UNKNOWN_TASK_ID}` })
      const isShown = answer.status < 400 || answer.status >= 500
      return (isShown ? failed : passed)(asked, describeAnswer(answer))
    },
  },
  {
    id: 'task-foreign',
    needs: 'other key',
    async judge(scenes) {
      const asked = 'a task, by the key of another account'
      const { otherApiKey: apiKey } = scenes.options
      const [task] = await scenes.allTasks()
      if (task?.creation.taskId === undefined) return notSeen(asked, 'no task')
      const path = `/task/${task.creation.taskId}`
      const answer = await scenes.wire.ask({ method: 'GET', path, apiKey })
      return (answer.status === 200 ? failed : passed)(asked, describeAnswer(answer))
    },
  },
  {
    id: 'task-created',
    needs: 'task',
    judge: (scenes) =>
      judgeCreations(scenes, ({ answer, taskId }) => {
        if (answer.status !== 200) return describeAnswer(answer)
        const isWhole = isJsonObject(answer.json) && Number.isSafeInteger(answer.json.task_id)
        return taskId !== undefined && isWhole ? undefined : '200 without a whole task_id'
      }),
  },
  {
    id: 'task-charge',
    needs: 'task',
    async judge(scenes) {
      const asked = 'the balance around each creation'
      const told = await scenes.findTaskPrice()
      const moves = (await scenes.allTasks()).flatMap(({ creation: { taskId, before, after } }) =>
        taskId === undefined || before === undefined || after === undefined
          ? []
          : [{ before, after }],
      )
      const [first] = moves
      if (first === undefined) return notSeen(asked, 'no task, or no balance')
      // Where no price is told it is at least the same for each.
      const price = told ?? first.before - first.after
      if (price <= 0n) return failed(asked, 'nothing was charged at creation')
      const wrong = moves.find(
        ({ before, after }) => !scenes.account.hasMovedBy(price, before, after),
      )
      if (wrong === undefined) return passed(asked, `${inRoubles(price)} for each`)
      return failed(
        asked,
        `${inRoubles(wrong.before - wrong.after)} for what costs ${inRoubles(price)}`,
      )
    },
  },
  {
    id: 'task-fields',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ polls }) => {
        const wrong = polls.find(({ status, json }) => status !== 200 || !isJsonObject(json))
        if (wrong !== undefined) return describeAnswer(wrong)
        const names = ['status', 'result_urls', 'error']
        const missing = toBodies(polls).flatMap((body) => names.filter((name) => !(name in body)))
        return missing.length > 0 ? `no ${missing[0]}` : undefined
      }),
  },
  {
    id: 'task-status',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ polls }) => {
        const statuses: readonly unknown[] = TASK_STATUSES
        const unknown = polls.find((poll) => !statuses.includes(readStatus(poll)))
        return unknown && `the status ${JSON.stringify(readStatus(unknown))}`
      }),
  },
  {
    id: 'task-forward',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ polls }) => {
        const known: readonly unknown[] = TASK_STATUSES
        const steps = polls.map((poll) => known.indexOf(readStatus(poll)))
        const isBack = steps.some((step, index) => step !== -1 && step < (steps[index - 1] ?? 0))
        return isBack ? polls.map(readStatus).join(' → ') : undefined
      }),
  },
  ...(['waiting', 'queuing', 'generating'] as const).map(
    (state): Rule => ({
      id: `task-${state}`,
      needs: 'task',
      async judge(scenes) {
        const bodies = toBodies((await followAll(scenes)).flatMap(({ polls }) => polls))
        const asked = `polls of a task that is ${state}`
        const met = bodies.filter(({ status }) => status === state)
        if (met.length === 0) return notSeen(asked, 'no poll met it')
        return judgeProblems(asked, met.map(findOpenProblem), `${met.length} polls`)
      },
    }),
  ),
  {
    id: 'task-links',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ end, polls }) => {
        if (end !== 'success') return undefined
        const [{ result_urls: urls } = {}] = toBodies(polls.slice(-1))
        const areLinks = Array.isArray(urls) && urls.length > 0 && urls.every(isLink)
        return areLinks ? undefined : 'a success without links'
      }),
  },
  {
    id: 'task-result',
    needs: 'task',
    async judge(scenes) {
      const files = (await wholeTasks(scenes)).flatMap(({ path, links }) =>
        links.flatMap(({ files: [file] }) => (file === undefined ? [] : [{ path, file }])),
      )
      const asked = 'each link of a result'
      if (files.length === 0) return notSeen(asked, 'no task succeeded with a link')
      const seen = files.map(({ file }) => `${file.contentType}, ${file.bytes} bytes`).join('; ')
      return judgeProblems(asked, files.map(findFileProblem), seen)
    },
  },
  {
    id: 'task-permanent',
    needs: 'task',
    async judge(scenes) {
      const links = (await wholeTasks(scenes)).flatMap((task) => task.links)
      const asked = 'each link of a result, and once more after 10 s'
      if (links.length === 0) return notSeen(asked, 'no task succeeded with a link')
      const problems = links.map(({ files: [first, second] }) => {
        if (first?.status !== 200) return `a link to the result: ${describeFile(first)}`
        const isSame = second?.status === 200 && second.digest === first.digest
        return isSame ? undefined : `${describeFile(first)}; later ${describeFile(second)}`
      })
      return judgeProblems(asked, problems, `${links.length} links, the same bytes`)
    },
  },
  {
    id: 'task-error',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ end, polls }) => {
        const [{ error } = {}] = toBodies(polls.slice(-1))
        const isError = error !== null && error !== undefined
        return end === 'success' && isError ? 'a success with an error' : undefined
      }),
  },
  {
    id: 'task-end',
    needs: 'task',
    async judge(scenes) {
      const tasks = (await wholeTasks(scenes)).filter(({ looks }) => looks.length > 0)
      const asked = 'polls of a task that has ended'
      if (tasks.length === 0) return notSeen(asked, 'no task ended')
      const problems = tasks.map(({ polls, looks }) => {
        const last = polls.at(-1)
        const changed = looks.findIndex((look) => last !== undefined && !isSameTask(look, last))
        return changed === -1 ? undefined : `it changed at look ${changed + 1} after its end`
      })
      return judgeProblems(
        asked,
        problems,
        `${tasks.map(({ looks }) => looks.length)} looks, the same`,
      )
    },
  },
]

/** The tasks that the options allow, at their ends. */
async function followAll(scenes: Scenes): Promise<EndedTask[]> {
  const { allTasks, furtherTasks, options } = scenes
  const ended = [...(await allTasks()), ...(options.isThorough ? await furtherTasks() : [])].map(
    (task) => task.ended(),
  )
  const clip = await beginClip(scenes)
  return await Promise.all([...ended, ...clip.map((task) => task.ended())])
}

/** The tasks that the options allow, some time after their ends. */
async function wholeTasks(scenes: Scenes): Promise<TaskScene[]> {
  const whole = (await scenes.allTasks()).map((task) => task.whole())
  const clip = await beginClip(scenes)
  return await Promise.all([...whole, ...clip.map((task) => task.whole())])
}

/** The clip, if there is one. It comes after much else. */
async function beginClip({ video, options }: Scenes): Promise<Task[]> {
  return options.withVideo ? [await video()] : []
}

async function judgeCreations(
  scenes: Scenes,
  findProblem: (creation: CreationScene) => string | undefined,
): Promise<Finding> {
  const tasks = [...(await scenes.allTasks()), ...(await beginClip(scenes))]
  const creations = tasks.map(({ creation }) => creation)
  const asked =
    [...new Set(creations.map(({ path }) => `POST /${path}`))].join(', ') || 'a creation'
  const answered = creations.filter(({ answer }) => !REFUSED_STATUSES.includes(answer.status))
  if (creations.length === 0) return notSeen(asked, 'no creation endpoint but that of clips')
  if (answered.length === 0) return notSeen(asked, describeAnswers(creations))
  return judgeProblems(asked, answered.map(findProblem), describeAnswers(creations))
}

async function judgeTasks(
  scenes: Scenes,
  findProblem: (task: EndedTask) => string | undefined,
): Promise<Finding> {
  const tasks = (await followAll(scenes)).filter(({ polls }) => polls.length > 0)
  const asked = [...new Set(tasks.map(({ path }) => `a task of /${path}`))].join(', ') || 'a task'
  if (tasks.length === 0) return notSeen(asked, 'no task was created')
  const statuses = tasks.map(({ polls }) => [...new Set(polls.map(readStatus))].join(' → '))
  return judgeProblems(asked, tasks.map(findProblem), [...new Set(statuses)].join('; '))
}

function describeAnswers(creations: readonly CreationScene[]): string {
  return [...new Set(creations.map(({ answer }) => describeAnswer(answer)))].join(', ')
}

function describeFile(file: LinkedFile | undefined): string {
  if (file === undefined || file.status === 0) return 'no answer'
  return `${file.status}, ${file.bytes} bytes, ${file.digest}`
}

/** Finds what a task that goes on should not show. */
function findOpenProblem({ status, result_urls: urls, error }: JsonObject): string | undefined {
  if (urls !== null && urls !== undefined) return `links at ${status}`
  return error === null || error === undefined ? undefined : `an error at ${status}`
}

function toBodies(polls: readonly WireAnswer[]): JsonObject[] {
  return polls.map(({ json }) => json).filter(isJsonObject)
}

/** Compares what the interface says of a task. Other fields, such as the time of the look, may change. */
function isSameTask(one: WireAnswer, other: WireAnswer): boolean {
  const [left, right] = [one, other].map(({ status, json }) => {
    const body = isJsonObject(json) ? json : {}
    return JSON.stringify([status, body.status, body.result_urls, body.error])
  })
  return left === right
}

function isLink(url: unknown): boolean {
  return typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
}
