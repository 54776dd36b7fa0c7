import type { Clock } from '../../../platform/time/clock.ts'
import { createBudget } from '../budget.ts'
import { createCustomer } from '../customer.ts'
import { gatherEvidence, once } from '../evidence.ts'
import { type ConformanceOptions, PROVOCATIONS, type Provocation } from '../options.ts'
import type { Receiver } from '../receiver.ts'
import type { Wire } from '../wire.ts'
import { createChatScenes } from './chat-scenes.ts'
import { createLimitScenes } from './limit-scenes.ts'
import { createLists } from './lists.ts'
import { createMediaScenes } from './media-scenes.ts'
import { createTaskScenes } from './task-scenes.ts'
import { askWrongClips } from './wrong-clips.ts'

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

/**
 * Creates the scenes that are played with the service, by which rules are judged. A scene is played once, when the
 * first rule asks for it, and all rules look at it. Those that move the balance come one after the other: tasks and
 * their ends, chats, what is provoked, the clip. What only waits goes on beside them.
 */
export function createScenes({ baseUrl, apiKey, wire, options, receiver, clock }: ScenesDeps) {
  const { settleMs, otherApiKey } = options
  const accountOf = (key: string) => createCustomer({ wire, apiKey: key, clock, settleMs })
  const account = accountOf(apiKey)
  const other = otherApiKey === undefined ? undefined : accountOf(otherApiKey)
  const limited = other ?? account
  const budget = createBudget(options.mostMicroRub)
  const lists = createLists(wire, options)
  const { findModel } = lists
  const tasks = createTaskScenes({ wire, account, budget, clock })
  const media = createMediaScenes({ account, tasks, lists, options, receiver, clock })
  const chats = createChatScenes({ wire, account, budget, findModel })
  const { toRequest } = chats
  const limits = createLimitScenes({ wire, account: limited, budget, clock, findModel, toRequest })

  const plainChat = after(media.tasksEnded, () => chats.askPlain())
  const streamedChat = after(plainChat, () => chats.askStreamed())
  const dearerChat = after(streamedChat, async () =>
    chats.askStreamed({ maxTokens: await chats.findDearerTokens() }),
  )
  const provokedStream = (kind: 'broken' | 'longer') =>
    after(dearerChat, () => chats.askStreamed({ model: nameOf(kind) }))
  const provokedChats = (kind: 'refused' | 'unavailable') =>
    after(dearerChat, async () => {
      const model = nameOf(kind)
      return [await chats.askPlain(model), await chats.askStreamed({ model })]
    })
  const provoked = {
    refused: provokedChats('refused'),
    unavailable: provokedChats('unavailable'),
    broken: provokedStream('broken'),
    longer: provokedStream('longer'),
  }
  const chatsEnded = after(dearerChat, () => endAll(provoked))
  const failing = {
    failed: after(chatsEnded, () => media.playFailing(nameOf('failed'), 'failed')),
    rejected: after(chatsEnded, () => media.playFailing(nameOf('rejected'))),
  }
  const provokedEnded = after(chatsEnded, () => endAll(failing))
  const video = after(provokedEnded, media.beginVideo)
  const allEnded = after(provokedEnded, async () => {
    if (options.withVideo) await (await video()).ended()
  })
  /** Ends when limits may be used up: at once, if those are another account's. */
  const limitsFree =
    other === undefined && !options.isFree ? after(allEnded, async () => {}) : async () => {}

  return {
    ...lists,
    ...media,
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
    toChatRequest: toRequest,
    plainChat,
    streamedChat,
    /** Like it, but with more `max_tokens`. */
    dearerChat,
    provokedChats: provoked,
    failedTask: failing.failed,
    rejectedTask: failing.rejected,
    video,
    wrongClips: once(() => askWrongClips(wire, account)),
    watchFailed: once(async () => media.watchEnded(await failing.failed(), 'failed')),
    watchVideo: once(async () => media.watch(await video(), 'video')),
    limits,
    limitsFree,
    chatBurst: after(limitsFree, limits.chatBurst),
  }

  function nameOf(kind: Provocation): string {
    return options.provoke[kind] ?? ''
  }

  /** Plays what is to be provoked, however it ends. */
  async function endAll(scenes: Partial<Record<Provocation, () => Promise<unknown>>>) {
    for (const kind of PROVOCATIONS) {
      if (options.provoke[kind] !== undefined) await scenes[kind]?.().catch(() => {})
    }
  }
}

/** Makes a scene that begins when something else has ended, however it did. What is waited for is no evidence. */
function after<T>(earlier: () => Promise<unknown>, work: () => Promise<T>): () => Promise<T> {
  return once(async () => {
    await gatherEvidence(earlier).catch(() => {})
    return await work()
  })
}
