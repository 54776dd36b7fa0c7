import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { runKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const WRONG_CONFIG = 'Kopeck cannot start with this configuration:\n  '
const TOKEN_WORDS = 'BOT_TOKEN: should be a bot token as BotFather gives it, 123456:ABC…'

interface Scene {
  folder: string
  file: string
  takenPort: string
}

type Start = [env: Record<string, string>, says: string, roles?: string[]]

test.each<[title: string, make: (scene: Scene) => Start]>([
  [
    'a PORT in use',
    ({ takenPort }) => [
      { PORT: takenPort },
      `Cannot start: PORT ${takenPort} on 127.0.0.1 is in use`,
    ],
  ],
  [
    'a HOST of another machine',
    () => [
      { HOST: '192.0.2.1' },
      'Cannot start: PORT 0 on 192.0.2.1 cannot be opened (EADDRNOTAVAIL)',
    ],
  ],
  [
    'a DATA_DIR that is a file',
    ({ file }) => [
      { DATA_DIR: file },
      `Cannot use DATA_DIR "${file}/playground": it cannot be written (ENOTDIR)`,
    ],
  ],
  [
    'a role that is none',
    () => [
      {},
      `${WRONG_CONFIG}unknown role: npm start runs every role, npm start -- bot or npm start -- service one`,
      ['sevice'],
    ],
  ],
])('a start with %s says so in one sentence, and ends with 2', async (_, make) => {
  const folder = await makeFolder()
  const file = join(folder, 'file')
  await writeFile(file, '')
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  onTestFinished(() => void blocker.close())
  const takenPort = String((blocker.address() as AddressInfo).port)
  const [env, says, roles] = make({ folder, file, takenPort })

  const own = { PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'fatal' }
  const ended = await runKopeck({ ...own, ...env }, roles)

  expect(ended).toEqual({ code: 2, output: `${says}\n` })
})

test('what is said before a start is ready stands on standard error, apart from the banner that npm prints', async () => {
  const env = { PATH: process.env.PATH ?? '', BOT_TOKEN: 'hunter2' }
  const started = promisify(execFile)('npm', ['start'], { cwd: ROOT, env })

  await expect(started).rejects.toMatchObject({
    code: 2,
    stdout: expect.not.stringContaining('BOT_TOKEN'),
    stderr: `${WRONG_CONFIG}${TOKEN_WORDS}\n`,
  })
})
