import {
  type ModelInfo,
  readCallbackSecret,
  readModels,
  readPrices,
} from '../../../contract/client/read-answers.ts'
import { toModelName } from '../../../contract/media.ts'
import { clipLabel } from '../../../contract/video.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createAccount } from '../account.ts'
import type { WireAnswer } from '../answer.ts'
import { createBudget } from '../budget.ts'
import { gatherEvidence, once } from '../evidence.ts'
import type { ConformanceOptions, Provocation } from '../options.ts'
import type { Manner, Receiver } from '../receiver.ts'
import type { Wire } from '../wire.ts'
import { watchCallbacks } from './callback-scene.ts'
import { createChatScenes } from './chat-scenes.ts'
import { createLimitScenes } from './limit-scenes.ts'
import { createTaskScenes, type FailingTask, readStatus, type Task } from './task-scenes.ts'
import { askWrongClips, VIDEO, VIDEO_PATH } from './wrong-clips.ts'

export interface ScenesDeps {
  /** Ends in `/api/v1`. */
  baseUrl: string
  apiKey: string
  wire: Wire
  options: ConformanceOptions
  /** The server at which callbacks arrive, if they can. */
  receiver: Receiver | undefined
  clock: Clock
}

export type Scenes = ReturnType<typeof createScenes>

/** States that a thorough run orders further tasks for, at most so many. */
const STATES = ['waiting', 'queuing', 'generating', 'success']
export const FURTHER_TASKS_MAX = 3
const LATER_MS = 700

/**
 * Creates the scenes that are played with the service, by which rules are judged. A scene is played once, when the
 * first rule asks for it, and all rules look at it. Those that move the balance come one after the other: tasks and
 * their ends, chats, what is provoked, the clip. What only waits goes on beside them.
 */
export function createScenes({ baseUrl, apiKey, wire, options, receiver, clock }: ScenesDeps) {
  const { path, body } = options.creation
  const { settleMs, provoke } = options
  const account = createAccount({ wire, apiKey, clock, settleMs })
  const other =
    options.otherApiKey === undefined
      ? undefined
      : createAccount({ wire, apiKey: options.otherApiKey, clock, settleMs })
  const budget = createBudget(options.mostMicroRub)
  const chats = createChatScenes({ wire, account, budget, findModel })
  const tasks = createTaskScenes({ wire, account, budget, clock })
  const limited = other ?? account
  const { toRequest } = chats
  const limits = createLimitScenes({ wire, account: limited, budget, clock, findModel, toRequest })

  const models = once(() => wire.ask({ method: 'GET', path: '/chats/models' }))
  const prices = once(async () => {
    const answer = await wire.ask({ method: 'GET', path: '/prices' })
    return answer.status === 200 ? readPrices(answer.json) : undefined
  })
  const secrets = once(
    async (): Promise<[WireAnswer, WireAnswer]> => [
      await wire.ask({ method: 'GET', path: '/callback/secret' }),
      await wire.ask({ method: 'GET', path: '/callback/secret' }),
    ],
  )
  const otherSecret = once(async () => {
    const { otherApiKey } = options
    return await wire.ask({ method: 'GET', path: '/callback/secret', apiKey: otherApiKey })
  })
  /** Checks whether the other creation endpoint is there: it refuses an empty body otherwise than an unknown path. */
  const hasCreation = once(async () => {
    const answer = await account.ask({ method: 'POST', path: `/${path}`, body: {} })
    return answer.status !== 404 && answer.status !== 405
  })

  const task = once(() => beginTask('take'))
  const refusedTask = once(() => beginTask('refuse'))
  const silentTask = once(() => beginTask('keep-silent'))
  /** The tasks of the run, as far as the options allow. None if there is no endpoint for them. */
  const allTasks = once(async (): Promise<Task[]> => {
    if (options.isFree || !(await hasCreation())) return []
    const first = [await task()]
    return receiver === undefined ? first : [...first, await refusedTask()]
  })
  /** Further tasks of a thorough run, until each state was met. */
  const furtherTasks = once(async (): Promise<Task[]> => {
    const further: Task[] = []
    const all = await allTasks()
    const met = new Set<unknown>()
    const meet = async ({ ended }: Task) => {
      for (const poll of (await ended()).polls) met.add(readStatus(poll))
    }
    for (const each of all) await meet(each)
    while (isUnmet(met) && all.length > 0 && further.length < FURTHER_TASKS_MAX) {
      const next = await beginTask()
      further.push(next)
      // Each is looked at somewhat later, for a state that passes between two looks.
      await clock.sleep(further.length * LATER_MS)
      await meet(next)
    }
    return further
  })
  const tasksEnded = once(async () => {
    const all = await allTasks().catch(() => [])
    await Promise.allSettled(all.map(({ ended }) => ended()))
    if (options.isThorough) await furtherTasks().catch(() => [])
    await awaitRefunds()
  })

  const plainChat = once(() => afterwards(tasksEnded, () => chats.askPlain()))
  const streamedChat = once(() => afterwards(plainChat, () => chats.askStreamed()))
  const dearerChat = once(() =>
    afterwards(streamedChat, async () =>
      chats.askStreamed({ maxTokens: await chats.findDearerTokens() }),
    ),
  )
  const provoked = {
    refused: provokedChats('refused'),
    unavailable: provokedChats('unavailable'),
    broken: provokedStream('broken'),
    longer: provokedStream('longer'),
  }
  const chatsEnded = once(async () => {
    await Promise.allSettled([plainChat(), streamedChat(), dearerChat()])
    for (const kind of ['refused', 'unavailable', 'broken', 'longer'] as const) {
      if (provoke[kind] !== undefined) await provoked[kind]().catch(() => {})
    }
  })
  const failedTask = provokedTask('failed')
  const rejectedTask = provokedTask('rejected')
  const provokedEnded = once(async () => {
    await chatsEnded()
    if (provoke.failed !== undefined) await failedTask().catch(() => {})
    if (provoke.rejected !== undefined) await rejectedTask().catch(() => {})
  })
  const video = once(() =>
    afterwards(provokedEnded, async () =>
      tasks.begin({
        path: VIDEO_PATH,
        body: VIDEO,
        callbackUrl: callbackUrl('video'),
        mostMicroRub: (await prices())?.get(clipLabel({})),
      }),
    ),
  )
  /** All that moves the balance of the account has had its end. */
  const allEnded = once(async () => {
    await provokedEnded()
    if (options.withVideo) await (await video()).ended()
  })
  /** Ends when limits may be used up: at once, if that is another account. */
  const limitsFree = once(async () => {
    if (other === undefined && !options.isFree) await allEnded().catch(() => {})
  })

  return {
    baseUrl,
    wire,
    options,
    clock,
    account,
    /** Another account if one is known: for what is refused, and for limits. */
    limited,
    /** Every account that the run pays from. */
    accounts: other === undefined ? [account] : [account, other],
    budget,
    models,
    prices,
    findTaskPrice,
    secrets,
    otherSecret,
    findModel,
    findDearestModel,
    toChatRequest: toRequest,
    plainChat,
    streamedChat,
    dearerChat,
    provokedChats: provoked,
    task,
    allTasks,
    furtherTasks,
    tasksEnded,
    failedTask,
    rejectedTask,
    video,
    limits,
    limitsFree,
    chatBurst: once(() => afterwards(limitsFree, limits.chatBurst)),
    hasCreation,
    wrongClips: once(() => askWrongClips(wire, account)),
    /** The callbacks of a task that was treated in that manner, when no more can come. */
    callbacks: {
      take: watched(task, 'take'),
      refuse: watched(refusedTask, 'refuse'),
      keepSilent: watched(silentTask, 'keep-silent'),
    },
    arrivalsOf: (manner: Manner) =>
      receiver?.arrivals.filter((arrival) => arrival.manner === manner) ?? [],
    watchFailed: once(async () => watchEnded(await failedTask(), 'failed')),
    watchVideo: once(async () => watchEnded(await (await video()).ended(), 'video')),
    /** The account's secret; undefined where it cannot be read. */
    findSecret: async () => readCallbackSecret((await secrets())[0].json),
  }

  function callbackUrl(manner: Manner): string | undefined {
    return options.callbackUrl && `${options.callbackUrl}/${manner}`
  }

  /** The price of a task at the creation endpoint; undefined if the service tells none. */
  async function findTaskPrice(): Promise<bigint | undefined> {
    return (await prices())?.get(toModelName(path))
  }

  async function beginTask(manner?: Manner): Promise<Task> {
    const url = manner && callbackUrl(manner)
    return await tasks.begin({ path, body, callbackUrl: url, mostMicroRub: await findTaskPrice() })
  }

  /** The prices of tasks that failed by themselves come back before the balance is looked at for anything else. */
  async function awaitRefunds(): Promise<void> {
    const all = await allTasks().catch(() => [])
    const before = all[0]?.creation.before
    const ended = await Promise.all(all.map((each) => each.ended()))
    if (before === undefined || !ended.some(({ end }) => end === 'fail')) return
    const kept = ended.map(({ end, before: from = 0n, after = 0n }) =>
      end === 'fail' ? 0n : from - after,
    )
    const charged = kept.reduce((sum, each) => sum + each, 0n)
    await account.alone(() => account.awaitBalance((balance) => balance === before - charged))
  }

  function provokedChats(kind: 'refused' | 'unavailable') {
    return once(() =>
      afterwards(dearerChat, async () => {
        const model = nameOf(kind)
        return [await chats.askPlain(model), await chats.askStreamed({ model })]
      }),
    )
  }

  function provokedStream(kind: 'broken' | 'longer') {
    return once(() => afterwards(dearerChat, () => chats.askStreamed({ model: nameOf(kind) })))
  }

  function provokedTask(kind: 'failed' | 'rejected'): () => Promise<FailingTask> {
    return once(() =>
      afterwards(chatsEnded, async () => {
        return await tasks.playFailing({
          path,
          body: { ...body, prompt: nameOf(kind) },
          callbackUrl: kind === 'failed' ? callbackUrl('failed') : undefined,
          mostMicroRub: await findTaskPrice(),
        })
      }),
    )
  }

  function nameOf(kind: Provocation): string {
    return provoke[kind] ?? ''
  }

  function watched(of: () => Promise<Task>, manner: Manner) {
    return once(async () => watchEnded(await (await of()).ended(), manner))
  }

  async function watchEnded(task: Awaited<ReturnType<Task['ended']>>, manner: Manner) {
    if (receiver === undefined) return { ...task, arrivals: [] }
    return await watchCallbacks(task, manner, { receiver, clock })
  }

  /** The model of that name; without one that which is asked, the cheapest if none was named. */
  async function findModel(name = options.model): Promise<ModelInfo | undefined> {
    const list = readModels((await models()).json) ?? []
    const named = list.find(({ id }) => id === name)
    if (named !== undefined) return named
    const byPrices = list.filter(isPriced).toSorted(byPrice)
    // What is provoked may be in no list. It costs what the dearest does, or less.
    if (name !== undefined) return { ...byPrices.at(-1), id: name }
    return byPrices[0] ?? list[0]
  }

  async function findDearestModel(): Promise<ModelInfo | undefined> {
    const list = readModels((await models()).json) ?? []
    return list.filter(isPriced).toSorted(byPrice).at(-1)
  }
}

/** Begins when something else has ended, however it did. */
async function afterwards<T>(earlier: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  // What is waited for is no evidence.
  await gatherEvidence(earlier).catch(() => {})
  return await work()
}

function isUnmet(met: ReadonlySet<unknown>): boolean {
  return STATES.some((state) => !met.has(state))
}

function isPriced({ completionMicroRubPer1m }: ModelInfo): boolean {
  return completionMicroRubPer1m !== undefined && completionMicroRubPer1m > 0n
}

function byPrice(left: ModelInfo, right: ModelInfo): number {
  return Number(left.completionMicroRubPer1m) - Number(right.completionMicroRubPer1m)
}
