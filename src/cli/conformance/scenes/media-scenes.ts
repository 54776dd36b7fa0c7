import { clipLabel } from '../../../contract/video.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Customer } from '../customer.ts'
import { once } from '../evidence.ts'
import type { ConformanceOptions } from '../options.ts'
import type { Manner, Receiver } from '../receiver.ts'
import { type CallbackScene, watchCallbacks } from './callback-scene.ts'
import type { createLists } from './lists.ts'
import {
  type createTaskScenes,
  type EndedTask,
  type FailingTask,
  readStatus,
  type Task,
} from './task-scenes.ts'
import { VIDEO, VIDEO_PATH } from './wrong-clips.ts'

/** States that a thorough run orders further tasks for, at most so many. */
const STATES = ['waiting', 'queuing', 'generating', 'success']
export const FURTHER_TASKS_MAX = 3
const LATER_MS = 700

export interface MediaScenesDeps {
  account: Customer
  tasks: ReturnType<typeof createTaskScenes>
  lists: ReturnType<typeof createLists>
  options: ConformanceOptions
  /** The server at which callbacks arrive, if they can. */
  receiver: Receiver | undefined
  clock: Clock
}

/** Creates the tasks of a run, each with its callbacks. */
export function createMediaScenes({
  account,
  tasks,
  lists,
  options,
  receiver,
  clock,
}: MediaScenesDeps) {
  const { path, body } = options.creation
  /** Checks whether the creation endpoint is there: it refuses an empty body otherwise than an unknown path. */
  const hasCreation = once(async () => {
    const answer = await account.ask({ method: 'POST', path: `/${path}`, body: {} })
    return answer.status !== 404 && answer.status !== 405
  })
  const takenTask = once(() => begin('take'))
  const refusedTask = once(() => begin('refuse'))
  const silentTask = once(() => begin('keep-silent'))
  const allTasks = once(async (): Promise<Task[]> => {
    if (options.isFree || !(await hasCreation())) return []
    const first = [await takenTask()]
    return receiver === undefined ? first : [...first, await refusedTask()]
  })
  const furtherTasks = once(async () => (options.isThorough ? await beginFurther() : []))
  return {
    hasCreation,
    /** The tasks of the run. None if there is no endpoint for them. */
    allTasks,
    /** Further tasks of a thorough run, until each state was met. */
    furtherTasks,
    tasksEnded: once(async () => {
      const all = await allTasks()
      await Promise.all(all.map(({ ended }) => ended()))
      await furtherTasks()
      await awaitRefunds(all)
    }),
    /** The callbacks of a task that was treated in that manner, when no more can come. */
    callbacks: {
      take: once(async () => watch(await takenTask(), 'take')),
      refuse: once(async () => watch(await refusedTask(), 'refuse')),
      keepSilent: once(async () => watch(await silentTask(), 'keep-silent')),
    },
    arrivalsOf: (manner: Manner) =>
      receiver?.arrivals.filter((arrival) => arrival.manner === manner) ?? [],
    beginVideo,
    playFailing,
    watch,
    watchEnded,
  }

  function toCallbackUrl(manner: Manner): string | undefined {
    return options.callbackUrl && `${options.callbackUrl}/${manner}`
  }

  async function begin(manner?: Manner): Promise<Task> {
    const callbackUrl = manner && toCallbackUrl(manner)
    return await tasks.begin({ path, body, callbackUrl, mostMicroRub: await lists.findTaskPrice() })
  }

  async function beginFurther(): Promise<Task[]> {
    const further: Task[] = []
    const all = await allTasks()
    const met = new Set<unknown>()
    const meet = async ({ ended }: Task) => {
      for (const poll of (await ended()).polls) met.add(readStatus(poll))
    }
    for (const each of all) await meet(each)
    const isUnmet = () => STATES.some((state) => !met.has(state))
    while (isUnmet() && all.length > 0 && further.length < FURTHER_TASKS_MAX) {
      const next = await begin()
      further.push(next)
      // Each is looked at somewhat later, for a state that passes between two looks.
      await clock.sleep(further.length * LATER_MS)
      await meet(next)
    }
    return further
  }

  async function beginVideo(): Promise<Task> {
    return await tasks.begin({
      path: VIDEO_PATH,
      body: VIDEO,
      callbackUrl: toCallbackUrl('video'),
      mostMicroRub: (await lists.prices())?.get(clipLabel({})),
    })
  }

  /** Creates a task whose prompt makes it fail, or makes the provider refuse it. */
  async function playFailing(prompt: string, manner?: Manner): Promise<FailingTask> {
    return await tasks.playFailing({
      path,
      body: { ...body, prompt },
      callbackUrl: manner && toCallbackUrl(manner),
      mostMicroRub: await lists.findTaskPrice(),
    })
  }

  /** The prices of tasks that failed by themselves come back before the balance is looked at for anything else. */
  async function awaitRefunds(all: readonly Task[]): Promise<void> {
    const before = all[0]?.creation.before
    const ended = await Promise.all(all.map((each) => each.ended()))
    if (before === undefined || !ended.some(({ end }) => end === 'fail')) return
    const kept = ended.map(({ end, before: from = 0n, after = 0n }) =>
      end === 'fail' ? 0n : from - after,
    )
    const charged = kept.reduce((sum, each) => sum + each, 0n)
    await account.alone(() => account.awaitBalance((balance) => balance === before - charged))
  }

  async function watch({ ended }: Task, manner: Manner): Promise<CallbackScene> {
    return await watchEnded(await ended(), manner)
  }

  async function watchEnded(task: EndedTask, manner: Manner): Promise<CallbackScene> {
    if (receiver === undefined) return { ...task, arrivals: [] }
    return await watchCallbacks(task, manner, { receiver, clock })
  }
}
