import { mkdtemp, readdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeScratchFile } from '../../../../src/bot/media/delivery/scratch-file.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scratch-test-'))
  vi.stubEnv('TMPDIR', folder)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rmdir(folder)
})

const BYTES = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251))

async function* pieces() {
  for (let at = 0; at < BYTES.length; at += 7_000) yield BYTES.subarray(at, at + 7_000)
}

test('the file has no name that a process could leave behind', async () => {
  const file = await writeScratchFile(pieces())

  expect(await readdir(folder)).toEqual([])
  await file.close()
})

test('pieces that break leave nothing', async () => {
  const broken = async function* () {
    yield BYTES
    throw new Error('The connection broke')
  }

  await expect(writeScratchFile(broken())).rejects.toThrow('The connection broke')
  expect(await readdir(folder)).toEqual([])
})
