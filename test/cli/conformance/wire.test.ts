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
