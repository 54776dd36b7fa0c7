import { expect, onTestFinished, test } from 'vitest'
import { openReceiver } from '../../../src/cli/conformance/receiver.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'

test('a receiver cuts off who sends it more than a callback has', async () => {
  const receiver = await openReceiver({ host: '127.0.0.1', port: 0 }, systemClock)
  onTestFinished(() => receiver.close())
  const send = (bytes: number) =>
    fetch(`http://127.0.0.1:${receiver.port}/take`, {
      method: 'POST',
      body: Buffer.alloc(bytes),
    }).then(({ status }) => status)

  await expect(send(4 * 1024 * 1024)).rejects.toThrow()
  await expect(send(500)).resolves.toBe(204)

  expect(receiver.arrivals.map(({ body }) => body.byteLength)).toEqual([500])
})
