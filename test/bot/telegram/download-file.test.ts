import type { ServerResponse } from 'node:http'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createFileDownload } from '../../../src/bot/telegram/download-file.ts'
import { sendJson, startServer } from '../../platform/http/local-server.ts'

const TOKEN = '123456:AAAA-secret-BBBB'
const PIECE = Buffer.alloc(1024 * 1024)

test('a file that breaks off is fetched once more', async () => {
  const { download } = await setUp([
    (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('a pic')
      setImmediate(() => response.destroy())
    },
    (response) => response.end('a picture'),
  ])

  expect(await download()).toMatchObject({ status: 'ok' })
})

test.each([['does not say so', (response: ServerResponse) => response.writeHead(200)]])(
  'a file beyond 20 MB is not read to its end, be it that its server %s',
  async (_, begin) => {
    let sentBytes = 0
    const { download } = await setUp([
      async (response) => {
        begin(response).flushHeaders()
        while (!response.destroyed) {
          sentBytes += PIECE.length
          response.write(PIECE)
          await new Promise((resolve) => setImmediate(resolve))
        }
      },
    ])

    expect(await download()).toEqual({ status: 'too_large' })
    // What was on its way when the connection was cut is bounded by buffers, not by the file.
    expect(sentBytes).toBeLessThan(2 ** 30)
  },
)

test.each([
  [
    'is elsewhere',
    (response: ServerResponse) => response.writeHead(302, { location: 'http://[::1]:1/' }).end(),
  ],
  ['never comes', (response: ServerResponse) => response.destroy()],
])('a file that %s is gone, after two tries', async (_, answer) => {
  const { download, paths } = await setUp([answer, answer])

  expect(await download()).toEqual({ status: 'gone' })
  expect(paths()).toHaveLength(2)
})

test.each([
  [{ status: 400, description: 'Bad Request: file is too big' }, 'too_large'],
  [{ status: 400, description: 'Bad Request: wrong file_id' }, 'gone'],
])('what Telegram refuses is not asked for again: %o', async (refusal, status) => {
  const { download, asked } = await setUp([], { refusal })

  expect(await download()).toEqual({ status })
  expect(asked()).toBe(1)
})

test('a file on the disk of a local Bot API server is not reached for', async () => {
  const { download, paths } = await setUp([], { filePath: '/etc/passwd' })

  expect(await download()).toEqual({ status: 'gone' })
  expect(paths()).toEqual([])
})

test('no line of the log holds the token, with any failure', async () => {
  const { download, logged } = await setUp([
    (response) => response.writeHead(500).end(`cannot serve bot${TOKEN}`),
    (response) => response.destroy(),
  ])
  const { download: refused, logged: loggedRefused } = await setUp([], {
    refusal: { status: 500, description: `Cannot handle /bot${TOKEN}/getFile` },
  })

  await download()
  await refused()

  expect(logged()).toHaveLength(2)
  expect([...logged(), ...loggedRefused()].join('\n')).not.toContain(TOKEN)
})

type Answer = (response: ServerResponse) => unknown

async function setUp(
  answers: Answer[],
  {
    filePath = 'photos/file_1.jpg',
    refusal,
    signal = new AbortController().signal,
  }: {
    filePath?: string
    refusal?: { status: number; description: string }
    signal?: AbortSignal
  } = {},
) {
  const left = [...answers]
  const { baseUrl, requests } = await startServer((response, { path }) => {
    if (path.startsWith('/file/')) return void left.shift()?.(response)
    if (refusal === undefined) {
      return sendJson(response, 200, { ok: true, result: { file_path: filePath } })
    }
    const { status: error_code, description } = refusal
    sendJson(response, error_code, { ok: false, error_code, description })
  })
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const apiRoot = new URL(baseUrl).origin
  const api = createTelegramApi({ token: TOKEN, apiRoot })
  const files = createFileDownload({ api, token: TOKEN, apiRoot, log })
  onTestFinished(() => files.close())
  const isFile = (path: string) => path.startsWith('/file/')
  return {
    download: () => files.download('file-1', { signal }),
    paths: () => requests.map(({ path }) => path).filter(isFile),
    asked: () => requests.filter(({ path }) => !isFile(path)).length,
    logged: () => lines,
  }
}
