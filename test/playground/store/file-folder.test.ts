import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { openFileFolder } from '../../../src/playground/store/file-folder.ts'
import { createFileStore } from '../../../src/playground/world/files.ts'
import { pngOf } from '../../media-files.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kopeck-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
})

test('bytes that are added are in the folder and not in memory', async () => {
  const files = createFileStore({ clock: systemClock, folder: openFileFolder(folder, () => true) })

  const file = files.add({
    kind: 'document',
    fileName: 'note.txt',
    mime: '',
    bytes: Buffer.from('note'),
  })

  expect(file).toMatchObject({ bytes: undefined, size: 4, mime: 'text/plain' })
  expect(await readFile(file.path ?? '', 'utf8')).toBe('note')
  expect(files.byUniqueId(file.uniqueId)).toBe(file)
})

test('a file written beside the folder is taken over, with the size of its picture', async () => {
  const files = createFileStore({ clock: systemClock, folder: openFileFolder(folder, () => true) })
  const bytes = pngOf({ width: 30, height: 20 })
  const path = join(files.incomingFolder ?? '', 'upload')
  await writeFile(path, bytes)

  const file = files.takeOver({
    path,
    size: bytes.length,
    kind: 'photo',
    fileName: 'a.png',
    mime: '',
  })

  expect(existsSync(path)).toBe(false)
  expect(await readFile(file.path ?? '')).toEqual(bytes)
  expect(files.show('photo', file, {})).toMatchObject({ width: 30, height: 20 })
})

// Promise: A start finds files that no message has, or halves of uploads
test('a start removes what a crash left: files on their way, and those that no message can show', async () => {
  const before = openFileFolder(folder, () => true)
  before.write('known', Buffer.from('1'))
  before.write('unknown', Buffer.from('2'))
  await writeFile(join(before.incoming, 'upload'), 'half')

  const after = openFileFolder(folder, (uniqueId) => uniqueId === 'known')

  expect((await readdir(folder)).sort()).toEqual(['incoming', 'known'])
  expect(await readdir(after.incoming)).toEqual([])
})
