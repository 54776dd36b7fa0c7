import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlayground } from '../../src/playground/playground.ts'
import type { PlaygroundMessage } from '../../src/playground/world/message.ts'
import { type Contender, kopeck, startContender } from './contender.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { forgetPeakRss, readProcessFigures } from './process-figures.ts'
import { type LinkAnswer, type ResultService, startResultService } from './result-service.ts'

const MIB = 2 ** 20
const USER_ID = 1
/** A clip of 1 MB, so that everything was used once. */
const WARM_UP = 'a small fox'
/** The tries come 30, 60 and 120 s after each other. */
const WHOLE_MS_MAX = 5 * 60_000

interface Scene {
  name: string
  prompt: string
  link: readonly LinkAnswer[]
  /** Whether a message is how it has to end. */
  isEnd: (message: PlaygroundMessage) => boolean
}

const hasClip = (bytes: number) => (message: PlaygroundMessage) => message.video?.size === bytes
const isGivenUp = ({ text }: PlaygroundMessage) => text?.includes('couldn’t get it') === true

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
    name: 'a link that fails three times, then a clip of 5 MB',
    prompt: 'a shy fox',
    link: [{ status: 503 }, { status: 503 }, { status: 503 }, { bytes: 5 * MIB }],
    isEnd: hasClip(5 * MIB),
  },
  {
    name: 'a link that has expired (410)',
    prompt: 'a gone fox',
    link: [{ status: 410 }],
    isEnd: isGivenUp,
  },
]

/** Results on their way from the service to Telegram: what they cost the bot's process. */
export const deliveryBench: BenchPart = {
  title: 'delivery: results from a service on this machine, each to a fresh process',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const rows: string[] = []
  for (const scene of SCENES) {
    context.progress(`delivery: ${scene.name}`)
    rows.push(await measure(scene, context))
  }
  const header = ['', 'memory before, MiB', 'peak, MiB', 'CPU, ms', 'sent by the link, MiB', 's']
  const rule = ['---', ...header.slice(1).map(() => '---:')]
  return [`| ${header.join(' | ')} |`, `| ${rule.join(' | ')} |`, ...rows].join('\n')
}

async function measure(scene: Scene, context: BenchContext): Promise<string> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    const playground = createPlayground({ flood: 'off' })
    ends.push(() => playground.close())
    playground.addUser({ id: USER_ID, firstName: 'Bench', languageCode: 'en' })
    const { apiRoot } = await playground.listen()
    const service = await startResultService({
      [WARM_UP]: [{ bytes: MIB }],
      [scene.prompt]: scene.link,
    })
    ends.push(() => service.close())
    const bot = await startBot({ token: playground.token, apiRoot, service, context })
    ends.push(bot.stop)

    const order = async (prompt: string, isEnd: Scene['isEnd']) => {
      playground.userSends({ userId: USER_ID, text: `/video ${prompt}` })
      const options = { timeoutMs: WHOLE_MS_MAX }
      const ended = playground.waitFor((it) => it.transcript(USER_ID).some(isEnd), options)
      await Promise.race([ended, bot.failed])
    }
    await order(WARM_UP, hasClip(MIB))
    await forgetPeakRss(bot.pid)
    const before = await readProcessFigures(bot.pid)
    const startedAt = performance.now()
    await order(scene.prompt, scene.isEnd)
    const seconds = (performance.now() - startedAt) / 1000
    const after = await readProcessFigures(bot.pid)
    const figures = [
      ...[before.rssBytes / MIB, after.peakRssBytes / MIB, after.cpuMs - before.cpuMs],
      ...[(service.sentBytes.get(scene.prompt) ?? 0) / MIB, seconds],
    ]
    return `| ${[scene.name, ...figures.map((figure) => figure.toFixed(0))].join(' | ')} |`
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function startBot({
  token,
  apiRoot,
  service,
  context: { database, signal },
}: {
  token: string
  apiRoot: string
  service: ResultService
  context: BenchContext
}): Promise<Contender> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
  const removeFiles = () => rm(dataDir, { recursive: true, force: true })
  const env = {
    ...{ BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot, ALLOWED_USER_IDS: '*' },
    ...{ SERVICE_URL: service.baseUrl, SERVICE_API_KEY: 'bench-key' },
    CLIP_PRICES_RUB: '{"vidgen-720p-5s":"40"}',
    ...{ DATABASE_URL: await database.create(), DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' },
  }
  try {
    const bot = await startContender({ program: kopeck('bot'), signal, env })
    return { ...bot, stop: () => bot.stop().finally(removeFiles) }
  } catch (error) {
    await removeFiles()
    throw error
  }
}
