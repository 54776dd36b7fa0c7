import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { readBuildInfo, writeCommand } from '../../src/platform/installation.ts'
import { makeFolder } from '../support/make-folder.ts'

const COMMIT = '0af7651916cd43dd8448eb211c80319cb7ad6b71'

let root: string

beforeEach(async () => {
  root = await makeFolder()
})

async function writeManifest(folder: string, more = {}): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3', ...more }))
}

async function commitIn(folder: string): Promise<string> {
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder, ...args])
  await git('init', '--quiet')
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  await git(...author, 'commit', '--quiet', '--allow-empty', '--message=first')
  return (await git('rev-parse', 'HEAD')).stdout.trim()
}

test('a clone is of the commit that is checked out', async () => {
  await writeManifest(root)
  const commit = await commitIn(root)

  expect(await readBuildInfo(root)).toEqual({ version: '1.2.3', commit })
})

test('a package is of the commit that it was built of, whatever repository it lies in', async () => {
  await writeManifest(root, { gitHead: COMMIT })
  await commitIn(root)

  expect(await readBuildInfo(root)).toEqual({ version: '1.2.3', commit: COMMIT })
})

test.each([
  ['start', [], 'npm start'],
  ['start', ['bot'], 'npm start -- bot'],
  ['account', ['create --name shop'], 'npm run account -- create --name shop'],
])('a clone runs %s %j as a script of npm', (name, args, written) => {
  expect(writeCommand(name, ...args)).toBe(written)
})
