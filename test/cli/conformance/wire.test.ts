import { expect, test } from 'vitest'
import { createWire } from '../../../src/cli/conformance/wire.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { startServer } from '../../platform/http/local-server.ts'

const CHAT = { method: 'POST', path: '/chats/completions', body: {} } as const

// Promise: A service that is looked at is busy for a day, streams without an end, or sends a page instead of an answer
test('a service that is busy for a day is asked again each minute, and then no more', async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(429, { 'retry-after': '86400' }).end()
  })
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const clock = { ...systemClock, sleep }
  const wire = createWire({ baseUrl, apiKey: 'key', clock })

  const { status } = await wire.ask({ method: 'GET', path: '/balance' })

  expect(status).toBe(429)
  expect(waits).toEqual(Array(5).fill(60_000))
  await wire.close()
})

// Promise: A service that is looked at is busy for a day, streams without an end, or sends a page instead of an answer
test('a stream without an end is left', async () => {
  const piece = `data: ${'x'.repeat(1024 * 1024)}\n\n`
  const { baseUrl } = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', write)
    write()
  })
  const wire = createWire({ baseUrl, apiKey: 'key', clock: systemClock })

  await expect(wire.askStream(CHAT, async () => {})).rejects.toThrow('more than 8388608 characters')

  await wire.close()
})

test('a service that does not answer three times is asked no more', async () => {
  let requests = 0
  const { baseUrl } = await startServer((response) => {
    requests += 1
    response.destroy()
  })
  const wire = createWire({ baseUrl, apiKey: 'key', clock: systemClock })
  const ask = () => wire.ask({ method: 'GET', path: '/balance' })

  for (let time = 0; time < 3; time += 1)
    await expect(ask()).rejects.toThrow('no whole answer came')
  await expect(ask()).rejects.toThrow('nothing more was asked: the service did not answer 3 times')

  expect(requests).toBe(3)
  await wire.close()
})

test('an answer of more than 8 MiB is left', async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(Buffer.alloc(100 * 1024 * 1024, ' '))
  })
  const wire = createWire({ baseUrl, apiKey: 'key', clock: systemClock })

  await expect(wire.ask({ method: 'GET', path: '/balance' })).rejects.toThrow(
    'no whole answer came',
  )

  await wire.close()
})

test('a redirect is an answer, and leads nowhere', async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(302, { location: '/api/v1/balance' }).end()
  })
  const wire = createWire({ baseUrl, apiKey: 'key', clock: systemClock })

  await expect(wire.ask({ method: 'GET', path: '/balance' })).resolves.toMatchObject({
    status: 302,
  })

  await wire.close()
})
