import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDiskRoom } from '../../../src/service/storage/disk-room.ts'
import { mountSmallDisk } from './small-disk.ts'

const BLOCK_BYTES = 4096
const GIGABYTE_BLOCKS = 2 ** 30 / BLOCK_BYTES

test.each([
  ['a gigabyte', GIGABYTE_BLOCKS, false],
  ['a block less than a gigabyte', GIGABYTE_BLOCKS - 1, true],
  ['nothing', 0, true],
])('a disk that has %s left for us', async (_name, bavail, isShort) => {
  const room = createDiskRoom({ dir: '/data', read: async () => ({ bavail, bsize: BLOCK_BYTES }) })

  expect(await room.isShort()).toBe(isShort)
  expect(await room.readBytes()).toBe(bavail * BLOCK_BYTES)
})

test('a small disk is short', async ({ skip }) => {
  const disk = mountSmallDisk() ?? skip('only root may mount a small disk')
  onTestFinished(disk.unmount)

  expect(await createDiskRoom({ dir: disk.dir }).isShort()).toBe(true)
})

test('a folder that is not there yet has the room of its parent', async () => {
  const room = createDiskRoom({ dir: join(tmpdir(), 'kopeck-not-there') })

  expect(await room.readBytes()).toBeGreaterThan(0)
})

test('a disk that gives no figure is found out by writing', async () => {
  const room = createDiskRoom({ dir: '/data', read: () => Promise.reject(new Error('EIO')) })

  expect(await room.isShort()).toBe(false)
  expect(await room.readBytes()).toBeUndefined()
})
