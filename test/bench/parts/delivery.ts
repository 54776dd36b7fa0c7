import { createPlayground } from '../../../src/playground/playground.ts'
import type { PlaygroundMessage } from '../../../src/playground/world/message.ts'
import type { Checkout } from '../checkout.ts'
import { startKopeckBot } from '../contenders/bots/start-bot.ts'
import { inTurn } from '../in-turn.ts'
import { forgetPeakRss, readProcessFigures } from '../measuring/process-figures.ts'
import type { BenchContext } from '../part.ts'
import { type Table, toRow } from '../report/table.ts'
import { type LinkAnswer, startResultService } from '../surroundings/result-service.ts'

const MIB = 2 ** 20
const USER_ID = 1
const WARMING_ID = 2
/** A clip of 1 MB, so that everything was used once. */
const WARM_UP = 'a small fox'
/** The second try comes 30 s after the first. */
const WHOLE_MS_MAX = 60_000

interface Scene {
  name: string
  prompt: string
  link: readonly LinkAnswer[]
  /** Recognizes the message with which it has to end. */
  isEnd: (message: PlaygroundMessage) => boolean
}

const hasClip = (bytes: number) => (message: PlaygroundMessage) => message.video?.size === bytes
const isGivenUp = ({ text }: PlaygroundMessage) => text?.includes('couldn’t fetch it') === true

const SCENES: readonly Scene[] = [
  {
    name: 'a clip of 45 MB',
    prompt: 'a long fox',
    link: [{ bytes: 45 * MIB }],
    isEnd: hasClip(45 * MIB),
  },
  {
    name: 'a clip of 200 MB: refused by its length',
    prompt: 'an endless fox',
    link: [{ bytes: 200 * MIB }],
    isEnd: isGivenUp,
  },
  {
    name: 'a link that fails once, then a clip of 5 MB',
    prompt: 'a shy fox',
    link: [{ status: 503 }, { bytes: 5 * MIB }],
    isEnd: hasClip(5 * MIB),
  },
  {
    name: 'a link that has expired (410)',
    prompt: 'a gone fox',
    link: [{ status: 410 }],
    isEnd: isGivenUp,
  },
]

interface Run {
  rssMiB: number
  peakRssMiB: number
  cpuMs: number
  /** The MiB that the link sent. */
  sentMiB: number
  seconds: number
}

/** Results on their way from the service to Telegram: what they cost the bot's process. */
export async function delivery(context: BenchContext): Promise<Table[]> {
  const tables: Table[] = []
  for (const scene of SCENES) {
    context.progress(scene.name)
    // Memory varies little from round to round.
    const once = { ...context, rounds: 1 }
    const runs = await inTurn(context.checkouts, once, (each) => measure(scene, each, context))
    tables.push({
      title: `Delivery: ${scene.name}`,
      says: 'From a service on this machine to Telegram, by a fresh process that has sent one clip of 1 MB.',
      columns: context.checkouts.map(({ name }) => name),
      rows: [
        toRow(runs, { name: 'memory before', unit: 'MiB', pick: (run) => run.rssMiB }),
        toRow(runs, { name: 'peak', unit: 'MiB', pick: (run) => run.peakRssMiB }),
        toRow(runs, { name: 'the process', unit: 'CPU ms', pick: (run) => run.cpuMs }),
        toRow(runs, { name: 'sent by the link', unit: 'MiB', pick: (run) => run.sentMiB }),
        toRow(runs, {
          name: 'until it was over',
          unit: 's',
          digits: 1,
          pick: (run) => run.seconds,
        }),
      ],
    })
  }
  return tables
}

async function measure(scene: Scene, checkout: Checkout, context: BenchContext): Promise<Run> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    const playground = createPlayground({ flood: 'off' })
    ends.push(() => playground.close())
    // A second order of one user within a minute is confirmed.
    for (const id of [WARMING_ID, USER_ID]) {
      playground.addUser({ id, firstName: 'Bench', languageCode: 'en' })
    }
    const { apiRoot } = await playground.listen()
    const service = await startResultService({
      [WARM_UP]: [{ bytes: MIB }],
      [scene.prompt]: scene.link,
    })
    ends.push(() => service.close())
    const telegram = { token: playground.token, apiRoot }
    const databaseUrl = await context.database.create(checkout)
    const env = { CLIP_PRICES_RUB: '{"vidgen-720p-5s":"40"}' }
    const bot = await startKopeckBot({ telegram, service, checkout, databaseUrl, env }, context)
    ends.push(bot.stop)

    const order = async (userId: number, prompt: string, isEnd: Scene['isEnd']) => {
      playground.userSends({ userId, text: `/video ${prompt}` })
      const options = { timeoutMs: WHOLE_MS_MAX }
      const ended = playground.waitFor((it) => it.transcript(userId).some(isEnd), options)
      await Promise.race([ended, bot.failed])
    }
    await order(WARMING_ID, WARM_UP, hasClip(MIB))
    await forgetPeakRss(bot.pid)
    const before = await readProcessFigures(bot.pid)
    const startedAt = performance.now()
    await order(USER_ID, scene.prompt, scene.isEnd)
    const seconds = (performance.now() - startedAt) / 1000
    const after = await readProcessFigures(bot.pid)
    return {
      rssMiB: before.rssBytes / MIB,
      peakRssMiB: after.peakRssBytes / MIB,
      cpuMs: after.cpuMs - before.cpuMs,
      sentMiB: (service.sentBytes.get(scene.prompt) ?? 0) / MIB,
      seconds,
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
