import {
  type ModelInfo,
  readBalance as readBalanceAnswer,
  readCallbackSecret,
  readModels,
  readPrices,
} from '../../../contract/client/read-answers.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { ConformanceOptions } from '../options.ts'
import type { Receiver } from '../receiver.ts'
import type { Wire, WireAnswer } from '../wire.ts'
import { createCallbackScene } from './callback-scene.ts'
import { createChatScenes } from './chat-scenes.ts'
import { once } from './once.ts'
import { createTaskScenes } from './task-scenes.ts'

export interface ScenesDeps {
  /** Ends in `/api/v1`. */
  baseUrl: string
  wire: Wire
  options: ConformanceOptions
  /** The server at which callbacks arrive, if they can. */
  receiver: Receiver | undefined
  clock: Clock
}

export type Scenes = ReturnType<typeof createScenes>

export const VIDEO_PATH = 'videos/vidgen-generate'
export const VIDEO = { prompt: 'A kopeck rolls down a hill', aspect_ratio: '1280:720' }

/**
 * Creates the scenes that are played with the service, by which rules are judged. A scene that costs something is
 * played once, when the first rule asks for it, and all rules look at it.
 */
export function createScenes({ baseUrl, wire, options, receiver, clock }: ScenesDeps) {
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
  const chats = createChatScenes({ wire, readBalance, findModel })
  const tasks = createTaskScenes({ wire, readBalance, clock })
  const { path, body } = options.creation
  const callbacks =
    receiver === undefined || options.callbackUrl === undefined
      ? undefined
      : createCallbackScene({
          tasks,
          receiver,
          clock,
          callbackUrl: options.callbackUrl,
          path,
          body,
        })
  return {
    baseUrl,
    wire,
    options,
    clock,
    models,
    prices,
    secrets,
    readBalance,
    findModel,
    findDearestModel,
    toChatRequest: chats.toRequest,
    plainChat: once(chats.askPlain),
    streamedChat: once(chats.askStreamed),
    /** Its callback is taken, where callbacks can be received. */
    task: once(
      async () => (await callbacks?.take()) ?? tasks.follow(await tasks.create(path, body)),
    ),
    video: once(async () => {
      const url = options.callbackUrl && `${options.callbackUrl}/video`
      return await tasks.follow(await tasks.create(VIDEO_PATH, VIDEO, url))
    }),
    /** Reads the callbacks that arrived for the video so far. */
    videoArrivals: () => receiver?.arrivals.filter(({ manner }) => manner === 'video') ?? [],
    /** The tasks whose callbacks are treated in each manner; undefined where none can be received. */
    callbacks,
    /** The account's secret; undefined where it cannot be read. */
    findSecret: async () => readCallbackSecret((await secrets())[0].json),
    /** Checks whether the other creation endpoint is there: it refuses an empty body otherwise than an unknown path. */
    hasCreation: once(async () => {
      const answer = await wire.ask({ method: 'POST', path: `/${path}`, body: {} })
      return answer.status !== 404 && answer.status !== 405
    }),
  }

  /** @returns Undefined where the answer has a shape that is not known. */
  async function readBalance(): Promise<bigint | undefined> {
    const answer = await wire.ask({ method: 'GET', path: '/balance' })
    return answer.status === 200 ? readBalanceAnswer(answer.json) : undefined
  }

  /** The model that is asked: the one that was named, or the cheapest. */
  async function findModel(): Promise<ModelInfo | undefined> {
    const list = readModels((await models()).json) ?? []
    if (options.model !== undefined) {
      return list.find(({ id }) => id === options.model) ?? { id: options.model }
    }
    return list.filter(isPriced).toSorted(byPrice)[0] ?? list[0]
  }

  async function findDearestModel(): Promise<ModelInfo | undefined> {
    const list = readModels((await models()).json) ?? []
    return list.filter(isPriced).toSorted(byPrice).at(-1)
  }
}

function isPriced({ completionMicroRubPer1m }: ModelInfo): boolean {
  return completionMicroRubPer1m !== undefined && completionMicroRubPer1m > 0n
}

function byPrice(left: ModelInfo, right: ModelInfo): number {
  return Number(left.completionMicroRubPer1m) - Number(right.completionMicroRubPer1m)
}
