import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HealthReport } from '../../../src/process/health.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { type ReceivedRequest, sendJson, startServer } from '../../platform/http/local-server.ts'
import { type ProxyServer, startProxyServer } from '../../platform/http/proxy-server.ts'
import { DONE, delta, finish } from '../../service/providers/openai-server.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const ANN = 501
const SOON = { timeout: 30_000 }
const LOGIN = { user: 'kopeck', password: 'secret-of-the-proxy' }
const NAMES = { 'telegram.test': '127.0.0.1', 'upstream.test': '127.0.0.1' }
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const PIECES = Array.from({ length: 12 }, (_, at) => `Sentence number ${at + 1}. `)

test.each([
  ['http', 'socks5'],
  ['socks5', 'http'],
] as const)(
  'a bot whose proxy by %s dies in the middle of an answer goes on through the next by %s: nothing is lost, nothing comes twice',
  async (first, second) => {
    const { telegram, upstream, proxies, health, kopeck, secrets } = await openHouse(first, second)
    const answersTo = (id: number) => telegram.answers(ANN, id)
    const textsTo = (id: number) => answersTo(id).map(({ text }) => text?.trim())

    const before = await health()
    const hello = telegram.say(ANN, 'Tell me, please')
    const answer = await upstream.next()
    await write(answer, PIECES.slice(0, 2))
    await expect.poll(() => textsTo(hello).join(), SOON).toContain('number 1')
    // An edit shows that the bot knows of its message: one whose sending was cut off is not sent again.
    await write(answer, PIECES.slice(2, 4))
    await expect.poll(() => textsTo(hello).join(), SOON).toContain('number 3')
    const diedMs = performance.now()
    await proxies.telegram[0].kill()
    await write(answer, PIECES.slice(4))
    answer.end(finish() + DONE)
    await expect.poll(() => textsTo(hello).join(), SOON).toContain(PIECES.at(-1)?.trim())
    console.info(`${first} died, whole through ${second} after ${since(diedMs)} s`)
    await proxies.upstream[0].kill()
    const next = telegram.say(ANN, 'And now?')
    const nextAnswer = await upstream.next()
    await write(nextAnswer, ['Still here.'])
    nextAnswer.end(finish() + DONE)
    await expect.poll(() => textsTo(next), SOON).toEqual(['Still here.'])
    const picture = telegram.say(ANN, '/image a fox')
    await expect.poll(() => answersTo(picture).map(({ photo }) => !!photo), SOON).toContain(true)

    expect(textsTo(hello)[0]).toBe(PIECES.join('').trim())
    const said = telegram.playground.transcript(ANN).map(({ text }) => text?.trim())
    expect(said.slice(0, 4)).toEqual([
      'Tell me, please',
      PIECES.join('').trim(),
      'And now?',
      'Still here.',
    ])
    expect(upstream.chats()).toBe(2)
    expect(before.proxies).toEqual(named(proxies, 0))
    expect((await health()).proxies).toEqual(named(proxies, 1))
    await kopeck.stop()
    for (const secret of secrets) expect(kopeck.lines.join('\n')).not.toContain(secret)
  },
  120_000,
)

interface HouseProxies {
  telegram: [ProxyServer, ProxyServer]
  upstream: [ProxyServer, ProxyServer]
}

async function openHouse(first: 'http' | 'socks5', second: 'http' | 'socks5') {
  const dataDir = await makeFolder()
  const telegram = await openTelegram()
  const upstream = await openUpstream()
  const open = async (): Promise<[ProxyServer, ProxyServer]> => [
    await startProxyServer({ protocol: first, names: NAMES, login: LOGIN }),
    await startProxyServer({ protocol: second, names: NAMES, login: LOGIN }),
  ]
  const proxies = { telegram: await open(), upstream: await open() }
  const serviceFile = join(dataDir, 'service.json')
  await writeFile(serviceFile, JSON.stringify(sellThrough(upstream.baseUrl)))
  const kopeck = await startKopeck({
    ...telegram.env,
    TELEGRAM_API_ROOT: telegram.env.TELEGRAM_API_ROOT.replace('127.0.0.1', 'telegram.test'),
    TELEGRAM_PROXY: proxies.telegram.map(withLogin).join(),
    UPSTREAM_PROXY: proxies.upstream.map(withLogin).join(', '),
    SERVICE_CONFIG: serviceFile,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
  })
  onTestFinished(async () => {
    await kopeck.stop()
    await telegram.close()
  })
  const health = async () =>
    (await (await fetch(`${kopeck.address}/healthz`)).json()) as HealthReport
  const secrets = [LOGIN.password, telegram.env.BOT_TOKEN]
  return { telegram, upstream, proxies, health, kopeck, secrets }
}

function withLogin({ url }: ProxyServer): string {
  return url.replace('//', `//${LOGIN.user}:${LOGIN.password}@`)
}

function named(proxies: HouseProxies, at: 0 | 1) {
  return { telegram: proxies.telegram[at].url, upstream: proxies.upstream[at].url }
}

function since(beganMs: number): string {
  return ((performance.now() - beganMs) / 1000).toFixed(1)
}

function sellThrough(baseUrl: string) {
  const base_url = baseUrl.replace('127.0.0.1', 'upstream.test')
  return {
    chat: {
      models: [
        {
          id: 'large',
          family: 'A',
          context_tokens: 100_000,
          prompt_rub_per_1m: '100',
          completion_rub_per_1m: '400',
          provider: { type: 'openai', base_url, model: 'm' },
        },
      ],
    },
    generation: {
      'images/imagegen-generate': {
        prices_rub: { imagegen: '5' },
        provider: { type: 'openai', base_url, model: 'i' },
      },
    },
  }
}

async function openUpstream() {
  const begun: ServerResponse[] = []
  let chats = 0
  const server = await startServer(answer)
  return { baseUrl: server.baseUrl, chats: () => chats, next }

  function answer(response: ServerResponse, { path, headers }: ReceivedRequest): void {
    if (path.endsWith('/chat/completions')) {
      chats++
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      begun.push(response)
    } else if (path.endsWith('/images/generations')) {
      sendJson(response, 200, { data: [{ url: `http://${headers.host}/picture.png` }] })
    } else if (path === '/picture.png') response.end(PICTURE)
    else sendJson(response, 404, {})
  }

  async function next(): Promise<ServerResponse> {
    await expect.poll(() => begun.length, SOON).toBeGreaterThan(0)
    return begun.shift() ?? expect.unreachable()
  }
}

async function write(response: ServerResponse, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) await new Promise((done) => response.write(delta(piece), done))
}
