import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type CallbackSetup, type Names, openCallbackSetup } from './callback-setup.ts'

const PUBLIC = '93.184.215.14'

let setup: CallbackSetup
let service: Awaited<ReturnType<CallbackSetup['addProcess']>>
let trap: Server
let port: number
let connections = 0
const names: Names = new Map()

beforeAll(async () => {
  setup = await openCallbackSetup()
  trap = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.resume()
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  await once(trap.listen(0), 'listening')
  port = (trap.address() as AddressInfo).port
  service = await setup.addProcess({ names, allow: [`pinned.example.com:${port}`] })
})

beforeEach(() => {
  connections = 0
  names.clear()
  service.resolve.mockClear()
})

afterAll(async () => {
  await new Promise((done) => trap.close(done))
  await setup.close()
})

const failures = async (taskId: number) =>
  (await setup.attempts(taskId)).map(({ failure }) => failure)

test.each([
  ['loopback', ['127.0.0.1']],
  ['loopback behind a public one', [PUBLIC, '127.0.0.1']],
  ['nowhere', []],
])(
  'a name that turned to %s since the task was created gets no connection',
  async (_name, addresses) => {
    names.set('turning.example.com', [PUBLIC])
    const taskId = await service.createAndFinish(`http://turning.example.com:${port}/`)
    names.set('turning.example.com', addresses)

    const again = await service.deliver(taskId)

    expect(again).toEqual(expect.any(Number))
    expect(await failures(taskId)).toEqual(['not_public'])
    expect(connections).toBe(0)
  },
)

test('the connection goes to the address that was judged: the name is not looked up again', async () => {
  names.set('pinned.example.com', ['127.0.0.1'])
  const taskId = await service.createAndFinish(`http://pinned.example.com:${port}/`)
  service.resolve.mockClear()
  // A second look-up would find an address without a host.
  service.resolve.mockImplementationOnce(async () => {
    names.set('pinned.example.com', ['127.255.255.254'])
    return [{ address: '127.0.0.1' }]
  })

  await service.deliver(taskId)

  expect(service.resolve).toHaveBeenCalledOnce()
  expect((await setup.attempts(taskId)).map(({ status }) => status)).toEqual([200])
  expect(connections).toBe(1)
})
