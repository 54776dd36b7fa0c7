import { TASK_STATUSES } from '../../../contract/task.ts'
import { isJsonObject, type JsonObject } from '../../../platform/http/json.ts'
import { type Finding, failed, judgeProblems, notSeen, passed, type Rule } from '../rule.ts'
import type { Scenes } from '../scenes/scenes.ts'
import { type CreationScene, readStatus, type TaskScene } from '../scenes/task-scenes.ts'
import { describeAnswer } from '../wire.ts'
import { inRoubles } from './money.ts'

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
    needs: 'task',
    async judge(scenes) {
      const asked = 'a task, by the key of another account'
      const { otherApiKey: apiKey } = scenes.options
      if (apiKey === undefined) return { outcome: 'skipped', asked, seen: 'it needs --other-key' }
      const [scene] = await playAll(scenes)
      if (scene?.taskId === undefined) return notSeen(asked, 'no task')
      const path = `/task/${scene.taskId}`
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
    judge: (scenes) =>
      judgeCreations(scenes, ({ answer, before, after }) => {
        if (answer.status !== 200 || before === undefined || after === undefined) return undefined
        return after < before ? undefined : 'nothing was charged at creation'
      }),
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
  {
    id: 'task-links',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ polls }) => {
        for (const { status, result_urls: urls } of toBodies(polls)) {
          const areLinks = Array.isArray(urls) && urls.length > 0 && urls.every(isLink)
          if (status === 'success' && !areLinks) return 'a success without links'
          if (status !== 'success' && urls !== null && urls !== undefined)
            return `links at ${status}`
        }
        return undefined
      }),
  },
  {
    id: 'task-permanent',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ links }) => {
        const gone = links.find(({ first }) => !first.startsWith('200'))
        if (gone !== undefined) return `a link to the result: ${gone.first}`
        const other = links.find(({ first, second }) => first !== second)
        return other && `a link asked again: ${other.first}, then ${other.second}`
      }),
  },
  {
    id: 'task-error',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ polls }) => {
        for (const { status, error } of toBodies(polls)) {
          if (status !== 'fail' && error !== null && error !== undefined)
            return `error at ${status}`
          if (status === 'fail' && !isTaskError(error)) return 'a fail without code and message'
        }
        return undefined
      }),
  },
  {
    id: 'task-end',
    needs: 'task',
    judge: (scenes) =>
      judgeTasks(scenes, ({ polls, pollAfterEnd }) => {
        const last = polls.at(-1)?.text
        if (pollAfterEnd === undefined) return undefined
        return pollAfterEnd.text === last ? undefined : 'a task that ended changed'
      }),
  },
  {
    id: 'task-refund',
    needs: 'task',
    async judge(scenes) {
      const asked = 'the balance after a task that failed'
      const failedTasks = (await playAll(scenes)).filter(({ end }) => end === 'fail')
      const [task] = failedTasks
      if (task?.before === undefined || task.afterEnd === undefined)
        return notSeen(asked, 'none did')
      const lost = task.before - task.afterEnd
      // The refund is queued, on a best-effort basis.
      if (lost === 0n) return passed(asked, 'the price is back')
      return notSeen(asked, `${inRoubles(lost)} are not back yet`)
    },
  },
]

/** Lists the tasks that the options allow, each with the function that plays it. */
async function playAll({ task, video, options, hasCreation }: Scenes): Promise<TaskScene[]> {
  const scenes: TaskScene[] = []
  if (await hasCreation()) scenes.push(await task())
  if (options.withVideo) scenes.push(await video())
  return scenes
}

async function judgeCreations(
  scenes: Scenes,
  findProblem: (creation: CreationScene) => string | undefined,
): Promise<Finding> {
  const creations = await playAll(scenes)
  const asked = creations.map(({ path }) => `POST /${path}`).join(', ') || 'a creation'
  const answered = creations.filter(({ answer }) => !REFUSED_STATUSES.includes(answer.status))
  if (creations.length === 0) return notSeen(asked, 'no creation endpoint but that of clips')
  if (answered.length === 0) return notSeen(asked, describeAnswers(creations))
  return judgeProblems(asked, answered.map(findProblem), describeAnswers(creations))
}

async function judgeTasks(
  scenes: Scenes,
  findProblem: (task: TaskScene) => string | undefined,
): Promise<Finding> {
  const tasks = (await playAll(scenes)).filter(({ polls }) => polls.length > 0)
  const asked = tasks.map(({ path }) => `a task of /${path}`).join(', ') || 'a task'
  if (tasks.length === 0) return notSeen(asked, 'no task was created')
  const statuses = tasks.map(({ polls }) => [...new Set(polls.map(readStatus))].join(' → '))
  return judgeProblems(asked, tasks.map(findProblem), statuses.join('; '))
}

function describeAnswers(creations: readonly CreationScene[]): string {
  return creations.map(({ answer }) => describeAnswer(answer)).join(', ')
}

function toBodies(polls: TaskScene['polls']): JsonObject[] {
  return polls.map(({ json }) => json).filter(isJsonObject)
}

function isLink(url: unknown): boolean {
  return typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
}

function isTaskError(error: unknown): boolean {
  return isJsonObject(error) && Number.isInteger(error.code) && typeof error.message === 'string'
}
