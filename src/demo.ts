import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDataDir } from './platform/database/data-dir.ts'
import { programUrl } from './platform/installation.ts'
import { createPlayground, type Playground } from './playground/playground.ts'

/** The user who talks to the bot in this demo; the private chat has the same id. */
const USER = { id: 1001, firstName: 'Alex', languageCode: 'en' }

const VIDEO_NAME = 'demo.mp4'
const READY_TIMEOUT_MS = 45_000
const ANSWER_TIMEOUT_MS = 30_000
/** A reply that has not grown for so long is whole: edits come once a second. */
const QUIET_MS = 2500

/**
 * Plays one conversation and one video through the whole program: the playground in this process
 * stands in for Telegram, and `kopeck start` runs beside it, on a database of its own that is gone
 * afterwards.
 *
 * @param videoDir The folder in which the video is kept.
 * @throws {DataDirRefusedError} If nothing can be kept there.
 */
export async function playDemo(videoDir: string): Promise<void> {
  // Before a minute is spent on a video that cannot be kept.
  await makeDataDir(videoDir)
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-demo-'))
  const playground = createPlayground()
  const { apiRoot } = await playground.listen()
  playground.addUser(USER)
  const kopeck = startKopeck({
    TELEGRAM_API_ROOT: apiRoot,
    BOT_TOKEN: playground.token,
    ALLOWED_USER_IDS: '*',
    DATA_DIR: dataDir,
  })
  try {
    const video = await Promise.race([converse(playground), kopeck.failed])
    const path = resolve(videoDir, VIDEO_NAME)
    await writeFile(path, video)
    process.stdout.write(`\n\nThe video is kept as ${path}\n`)
  } finally {
    await kopeck.stop()
    await playground.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function converse(playground: Playground): Promise<Uint8Array> {
  process.stdout.write('Starting the database, the service and the bot …\n')
  await playground.waitFor(() => playground.calls.some(({ method }) => method === 'getUpdates'), {
    timeoutMs: READY_TIMEOUT_MS,
  })
  const stopShowing = showLive(playground)
  await say(playground, '/start')
  await say(playground, 'Explain inflation to a ten-year-old')
  await say(playground, '/video 5s a paper boat sails down a spring brook')
  const video = await playground.waitFor(
    () => playground.transcript(USER.id).find(({ video }) => video)?.video?.bytes,
    { timeoutMs: ANSWER_TIMEOUT_MS },
  )
  await quiet(playground)
  await say(playground, '/usage')
  stopShowing()
  return video
}

async function say(playground: Playground, text: string): Promise<void> {
  process.stdout.write(`\n\nyou ▸ ${text}`)
  const { message_id: sentId } = playground.userSends({ userId: USER.id, text })
  await playground.waitFor(
    () => playground.transcript(USER.id).some(({ id, from }) => from === 'bot' && id > sentId),
    { timeoutMs: ANSWER_TIMEOUT_MS },
  )
  await quiet(playground)
}

function quiet(playground: Playground): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      unsubscribe()
      done()
    }
    let timer = setTimeout(finish, QUIET_MS)
    const unsubscribe = playground.onChange(({ kind }) => {
      if (kind !== 'sent' && kind !== 'edited') return
      clearTimeout(timer)
      timer = setTimeout(finish, QUIET_MS)
    })
  })
}

type Shown = ReturnType<Playground['transcript']>[number]

function showLive(playground: Playground): () => void {
  const last = { id: 0, text: '' }
  return playground.onChange((change) => {
    if (change.kind !== 'sent' && change.kind !== 'edited') return
    const message = playground.transcript(USER.id).find(({ id }) => id === change.messageId)
    if (message === undefined || message.from === 'user') return
    const text = describe(message)
    const news = message.id === last.id ? findNews(last.text, text) : undefined
    process.stdout.write(news ?? `\n\nbot ▸ ${text}`)
    Object.assign(last, { id: message.id, text })
  })
}

function findNews(before: string, text: string): string | undefined {
  if (text.startsWith(before)) return text.slice(before.length)
  const lines = text.split('\n')
  const known = before.split('\n')
  const changed = lines.findIndex((line, index) => line !== known[index])
  return changed > 0 ? `\n${lines.slice(changed).join('\n')}` : undefined
}

function describe({ video, photo, text, caption = '' }: Shown): string {
  if (video) {
    const { width, height, duration, size } = video
    return `[video ${width}×${height}, ${duration} s, ${size} bytes] ${caption}`
  }
  return photo ? `[picture, ${photo.size} bytes]\n${caption}` : (text ?? '')
}

/** Starts every role on embedded parts and a free port; its log goes nowhere unless it fails. */
function startKopeck(settings: Record<string, string>) {
  const command = fileURLToPath(programUrl('./cli/kopeck', import.meta.url))
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [...process.execArgv, command, 'start'], {
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    // An operator's .env is not the demo's.
    cwd: settings.DATA_DIR,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  child.stdout.on('data', (piece) => output.push(piece))
  child.stderr.on('data', (piece) => output.push(piece))
  const exited = once(child, 'exit')
  let isStopping = false
  const failed = exited.then(([code]): never => {
    if (!isStopping) process.stderr.write(Buffer.concat(output))
    throw new Error(`The demo is over: Kopeck ended with ${code}, and wrote why`)
  })
  // It also ends at `stop()`, after the race is over.
  failed.catch(() => {})
  return {
    failed,
    async stop() {
      isStopping = true
      child.kill('SIGTERM')
      await exited
    },
  }
}
