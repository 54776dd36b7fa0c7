import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { CallbackReceiver, createCallbackPlugin } from '../../../src/bot/media/callbacks.ts'
import { signCallback } from '../../../src/contract/tasks.ts'
import { readTime } from '../../../src/platform/database/prisma.ts'
import { createHttpServer } from '../../../src/process/http-server.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestClock } from '../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

export const SECRET = 'the secret of the account'
export const KEY = '3b241101-e2bb-4255-8caf-4136c566a962'
export const TASK_ID = 42
export const SUCCESS = {
  task_id: TASK_ID,
  status: 'success',
  code: 200,
  result_urls: ['https://files.example.org/picture.png'],
  error: null,
  model: 'imagegen',
  timestamp: 1,
}

interface Posted {
  key?: string
  body?: unknown
  raw?: string
  secret?: string
  headers?: Record<string, string>
  ageS?: number
}

/** The route of a bot with one order, on a service that answers with its secrets one after the other. */
export async function setUpCallbacks({
  secrets = [SECRET],
  state = 'generating',
}: {
  secrets?: (string | Error)[]
  state?: 'submitted' | 'generating' | 'ready'
} = {}) {
  const url = await createTestDatabase()
  const databaseClock = await createTestClock(url)
  const { prisma, pool, close } = openTestDatabase({ url })
  const clock = createManualClock()
  const log = pino({ level: 'silent' })
  let asked = 0
  const service = {
    async callbackSecret() {
      const secret = secrets[Math.min(asked++, secrets.length - 1)]
      if (typeof secret === 'string') return secret
      throw secret
    },
  }
  const callbacks = new CallbackReceiver({ service, prisma, pool, clock, log })
  const http = createHttpServer({ log })
  await http.register(createCallbackPlugin({ receive: (callback) => callbacks.receive(callback) }))
  onTestFinished(async () => {
    await http.close()
    await close()
  })
  await prisma.user.create({ data: { id: 501, firstName: 'Anna' } })
  await prisma.order.create({
    data: {
      userId: 501,
      chatId: 501,
      kind: 'image',
      originKey: 'message 501 7',
      state,
      replyToMessageId: 7,
      params: { prompt: 'a fox' },
      label: 'imagegen',
      idempotencyKey: KEY,
      taskId: state === 'submitted' ? null : TASK_ID,
      expectsCallback: true,
    },
  })
  return { http, prisma, clock, databaseClock, post, order, asked: () => asked }

  async function post({
    key = KEY,
    body = SUCCESS,
    raw = JSON.stringify(body),
    secret = SECRET,
    headers = {},
    ageS = 0,
  }: Posted = {}): Promise<number> {
    const now = await readTime(prisma)
    const timestamp = String(Math.floor(now.getTime() / 1000) - ageS)
    const signed = signCallback({ secret, timestamp, body: Buffer.from(raw) })
    const { statusCode } = await http.inject({
      method: 'POST',
      url: `/callbacks/${key}`,
      headers: { 'content-type': 'application/json', ...signed, ...headers },
      payload: raw,
    })
    return statusCode
  }

  function order() {
    return prisma.order.findFirstOrThrow()
  }
}
