import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeFolder } from '../../support/make-folder.ts'

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')

test('kopeck demo plays to its end, and keeps its video in DATA_DIR and nothing in the working directory', async () => {
  const folder = await makeFolder()
  const dataDir = join(folder, 'kept')

  const { stdout, stderr } = await promisify(execFile)(process.execPath, [COMMAND, 'demo'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir },
  })

  expect(stderr).toBe('')
  const video = join(dataDir, 'demo.mp4')
  expect(stdout).toContain(`The video is kept as ${video}\n`)
  expect((await readFile(video)).toString('latin1', 4, 8)).toBe('ftyp')
  expect(await readdir(folder)).toEqual(['kept'])
  // A conversation and a video, at the pace of Telegram.
}, 120_000)
