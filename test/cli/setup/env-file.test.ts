import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeEnv, readEnvFile, writeEnvFile } from '../../../src/cli/setup/env-file.ts'
import { makeFolder } from '../../support/make-folder.ts'

const KEPT = `# The bot
#BOT_TOKEN=
export LOG_LEVEL=debug # loud
SYSTEM_PROMPT="Be kind.
BOT_TOKEN=no, this is a prompt
"
BOT_TOKEN = 'old'

PORT=3000`

test('a variable keeps its place, a new one is added at the end, and all else stays as it is', () => {
  const changes = { BOT_TOKEN: '123456:new', ADMIN_IDS: '7' }

  const changed = changeEnv(KEPT, changes)

  expect(changed).toBe(
    `${KEPT.replace("BOT_TOKEN = 'old'", 'BOT_TOKEN=123456:new')}\nADMIN_IDS=7\n`,
  )
})

test('a variable that is taken out is gone with its line, one that stands there twice is there once', () => {
  const changes = { A: undefined, B: '2', C: undefined }

  expect(changeEnv('A=1\n# A\nB=0\nD="A=1"\nB=1\n', changes)).toBe('# A\nB=2\nD="A=1"\n')
})

test('whatever a value and its surroundings are, it is read back exactly or nothing is written', () => {
  const piece = fc.constantFrom(
    'A',
    '=',
    '#',
    ' ',
    '\n',
    "'",
    '"',
    '`',
    '\\',
    'n',
    '$',
    'é',
    'export ',
  )
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))
  let written = 0
  fc.assert(
    fc.property(text, text, (before, value) => {
      let changed: string
      try {
        changed = changeEnv(before, { KEY: value })
      } catch (error) {
        expect((error as Error).message).toContain('nothing was written')
        return
      }
      written += 1
      expect({ ...parseEnv(changed) }).toEqual({ ...parseEnv(before), KEY: value })
    }),
    { numRuns: 2000 },
  )
  expect(written).toBeGreaterThan(1000)
})

test('the file is for its owner alone, also one that was open to others, and a link stays one', async () => {
  const folder = await makeFolder()
  const path = join(folder, '.env')
  await mkdir(join(folder, 'shared'))
  await writeFile(join(folder, 'shared/env'), 'A=1\n')
  await chmod(join(folder, 'shared/env'), 0o644)
  await symlink('shared/env', path)

  await writeEnvFile(path, { B: '2' })

  expect((await lstat(path)).isSymbolicLink()).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readFile(path, 'utf8')).toBe('A=1\nB=2\n')
  expect(await readdir(join(folder, 'shared'))).toEqual(['env'])
})

test('a value that cannot be written leaves the file as it was, and nothing beside it', async () => {
  const folder = await makeFolder()
  const path = join(folder, '.env')
  await writeFile(path, 'A=1\n')

  const writing = writeEnvFile(path, { B: `'"\`` })

  await expect(writing).rejects.toThrow('Cannot write B: no kind of quotes is left')
  expect(await readFile(path, 'utf8')).toBe('A=1\n')
  expect(await readdir(folder)).toEqual(['.env'])
})

test('a write that fails leaves the file as it was, and nothing beside it', async () => {
  const folder = await makeFolder()
  const path = join(folder, '.env')
  await writeFile(path, 'A=1\n')
  // Where the new file is prepared something else is in the way.
  await mkdir(`${path}.${process.pid}.new`)

  const writing = writeEnvFile(path, { B: '2' })

  await expect(writing).rejects.toThrow('EEXIST')
  expect(await readEnvFile(path)).toEqual({ A: '1' })
})
