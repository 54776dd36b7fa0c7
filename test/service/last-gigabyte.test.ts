import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ServiceTrouble } from '../../src/service/service.ts'
import { startTestService } from './service-fixture.ts'
import { mountSmallDisk } from './storage/small-disk.ts'

const CREATION = {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
  body: JSON.stringify({ prompt: 'a cat', aspect_ratio: '1280:720' }),
}

// Promise: The disk of DATA_DIR fills up to its last gigabyte
test('on the last gigabyte of the disk creations are 503 and cost nothing, and the operator is notified', async ({
  skip,
}) => {
  const disk = mountSmallDisk() ?? skip('only root may mount a small disk')
  onTestFinished(disk.unmount)
  const onTrouble = vi.fn<(trouble: ServiceTrouble) => void>()
  await using kopeck = await startTestService()
  await using short = await startTestService({
    beside: kopeck,
    onTrouble,
    mediaDir: join(disk.dir, 'media'),
  })
  const balance = await kopeck.balance()

  const refused = await short.call('/videos/vidgen-generate', CREATION)

  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toEqual({ detail: 'There is no room for results now.' })
  expect(await kopeck.balance()).toBe(balance)
  expect(onTrouble.mock.calls).toEqual([['storage_unavailable']])
  expect(await short.service.readMetrics()).toContain('kopeck_disk_available_bytes 65536')
})

// Promise: The disk of DATA_DIR fills up to its last gigabyte
test('on the last gigabyte of the disk chats go on, and a repeat is answered with its task', async ({
  skip,
}) => {
  const disk = mountSmallDisk() ?? skip('only root may mount a small disk')
  onTestFinished(disk.unmount)
  await using kopeck = await startTestService()
  await using short = await startTestService({ beside: kopeck, mediaDir: join(disk.dir, 'media') })
  const first = await kopeck.call('/videos/vidgen-generate', CREATION)

  const repeated = await short.call('/videos/vidgen-generate', CREATION)
  const chat = await short.chat({
    model: 'alpha-small',
    messages: [{ role: 'user', content: 'hi' }],
  })

  expect(await repeated.json()).toEqual(await first.json())
  expect(chat.status).toBe(200)
})
