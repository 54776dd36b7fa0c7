import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countOf, rowsOf } from '../rows.ts'
import { type CallbackSetup, openCallbackSetup } from './callback-setup.ts'

let setup: CallbackSetup
let server: Server
let url: string
let allow: string[]
let requests: number
let answerWith: (index: number) => number | undefined
let onRequest: () => void

beforeEach(async () => {
  setup = await openCallbackSetup()
  requests = 0
  answerWith = () => 200
  onRequest = () => {}
  server = createServer((_request, response) => {
    const status = answerWith(requests)
    requests += 1
    onRequest()
    if (status !== undefined) response.writeHead(status).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}/`
  allow = [`127.0.0.1:${port}`]
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await setup.close()
})

const addProcess = () => setup.addProcess({ allow })

async function dieInAttempt(
  taskId: number,
  dying: Awaited<ReturnType<CallbackSetup['addProcess']>>,
) {
  const asked = Promise.withResolvers<void>()
  onRequest = asked.resolve
  answerWith = () => undefined
  const delivering = dying.deliver(taskId)
  await asked.promise
  await dying.instance.release()
  return { delivering }
}

test('an attempt whose process died counts as made: three in total over two deaths', async () => {
  const [first, second, third] = [await addProcess(), await addProcess(), await addProcess()]
  const taskId = await first.createAndFinish(url)
  await dieInAttempt(taskId, first)
  await setup.shiftEnd(taskId, { agoMs: 5000 })
  await dieInAttempt(taskId, second)
  await setup.shiftEnd(taskId, { agoMs: 15_000 })
  answerWith = () => 500

  const again = [await third.deliver(taskId), await third.deliver(taskId)]

  expect(again).toEqual([undefined, undefined])
  expect(requests).toBe(3)
  expect((await setup.attempts(taskId)).map(({ failure, status }) => failure ?? status)).toEqual([
    'process_died',
    'process_died',
    500,
  ])
  expect((await setup.callback(taskId))?.state).toBe('failed')
})

test('a callback whose process died before any attempt is delivered by the next process', async () => {
  const first = await addProcess()
  const taskId = await first.createAndFinish(url)
  await first.instance.release()

  const next = await setup.addProcess({ allow, isAutomatic: true })
  await next.callbacks.start()

  await expect
    .poll(async () => (await setup.callback(taskId))?.state, { timeout: 20_000 })
    .toBe('delivered')
  expect(requests).toBe(1)
})

test('two processes on one database deliver each callback once', async () => {
  const processes = [
    await setup.addProcess({ allow, isAutomatic: true }),
    await setup.addProcess({ allow, isAutomatic: true }),
  ]
  for (const { callbacks } of processes) await callbacks.start()
  const [first] = processes

  const taskIds = await Promise.all(Array.from({ length: 20 }, () => first?.createAndFinish(url)))
  const delivered = () => countOf(setup.database.pool, 'callback', `WHERE state = 'delivered'`)

  await expect.poll(delivered, { timeout: 20_000 }).toBe(taskIds.length)
  expect(requests).toBe(taskIds.length)
  expect(
    await countOf(setup.database.pool, 'callback', 'WHERE jsonb_array_length(attempts) = 1'),
  ).toBe(taskIds.length)
})

test('a late attempt waits for an earlier one and is then made at once', async () => {
  const service = await addProcess()
  const taskId = await service.createAndFinish(url)
  const asked = Promise.withResolvers<void>()
  onRequest = asked.resolve
  answerWith = () => undefined
  await setup.shiftEnd(taskId, { agoMs: 60_000 })
  const delivering = service.deliver(taskId)
  await asked.promise
  server.closeAllConnections()

  const again = await delivering

  expect(again).toBe(0)
})

test('a task and its callback end in one transaction: where one cannot be kept, neither is', async () => {
  const service = await addProcess()
  const { body } = await service.create(url)
  await setup.database.pool.query('ALTER TABLE service.callback RENAME TO elsewhere')

  await service.finish(body.task_id)
  const [before] = await rowsOf(setup.database.pool, 'task', 'WHERE id = $1', [body.task_id])
  await setup.database.pool.query('ALTER TABLE service.elsewhere RENAME TO callback')
  await service.finish(body.task_id)

  expect(before?.status).toBe('generating')
  expect(await countOf(setup.database.pool, 'callback')).toBe(1)
})
