import { once } from 'node:events'
import { expect, test } from 'vitest'
import { delta } from '../providers/openai-server.ts'
import { theHold } from '../service-fixture.ts'
import { STREAM, startChatService } from './chat-fixture.ts'

const DELTA = delta('x'.repeat(64 * 1024))
/** Far above what sockets, streams and one hop after the other can hold. */
const BYTES_MAX = 256 * 1024 * 1024
/** So many turns of the event loop in which nothing moves mean that nothing will. */
const QUIET_TURNS = 300

test('a client that does not read stops the provider: little is pulled, and less than that is kept', async () => {
  let pulled = 0
  const { kopeck, upstream } = await startChatService(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    while (pulled < BYTES_MAX && !response.destroyed) {
      pulled += DELTA.length
      if (!response.write(DELTA)) {
        await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
    }
  })
  const leave = new AbortController()
  await kopeck.chat(STREAM, { signal: leave.signal })

  let seen = 0
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    if (pulled !== seen) quiet = 0
    seen = pulled
    await new Promise(setImmediate)
  }

  leave.abort()
  await upstream.clientLeft
  expect(seen).toBeGreaterThan(0)
  expect(seen).toBeLessThan(BYTES_MAX / 4)
  await kopeck.service.stop(20_000)
  expect(await theHold(kopeck.pool)).toMatchObject({ state: 'captured' })
})
