import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { findServerPid, isRunning } from '../../support/embedded-server.ts'
import { hasProgram } from '../../support/has-program.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')
/** A test that needs a program to open a terminal: util-linux has it. */
const onTerminal = test.skipIf(!hasProgram('script'))
const RUNS = /Kopeck \d+\.\d+\.\d+\S* runs: the bot/
const SOON = { timeout: 30_000 }

let dataDir: string

beforeEach(async () => {
  dataDir = await makeFolder()
})

onTerminal(
  'a fresh start on a terminal says what runs where, in lines for people; a terminal that is closed stops it in order, and its server with it',
  async () => {
    const telegram = await openTelegram()
    onTestFinished(() => telegram.close())
    const { shown, child } = openTerminal(telegram.env)
    await expect.poll(shown, SOON).toContain('INFO: ready')
    expect(shown()).toMatch(/INFO: ready {"version":"\d+\.\d+\.\d+\S*","commit":"\w+","address":/)
    // The last line for a person, a moment after the line for the log.
    await expect.poll(shown, SOON).toContain('Everybody may talk to the bot.')

    const [address] = /http:\/\/127\.0\.0\.1:\d+(?=\/api\/v1\r?\n)/.exec(shown()) ?? []
    expect((await fetch(`${address}/api/v1/openapi.json`)).status).toBe(200)
    expect(shown()).toMatch(RUNS)
    expect(shown()).not.toContain('"msg"')
    const [pid, serverPid] = [await findChild(child.pid), await findServerPid(dataDir)]
    const before = [isRunning(pid), isRunning(serverPid)]

    child.kill('SIGKILL')

    await expect.poll(() => hasEnded(pid), SOON).toBe(true)
    expect(before).toEqual([true, true])
    expect(isRunning(serverPid)).toBe(false)
  },
)

/** Starts the program in a terminal of its own. Killed, the terminal is closed as a person closes a window. */
function openTerminal(env: Record<string, string>, role = '') {
  const command = `exec ${process.execPath} ${COMMAND} start ${role}`
  const own = { TERM: 'dumb', SHELL: '/bin/sh', ...env }
  return start('script', ['--quiet', '--return', '--command', command, '/dev/null'], own)
}

function start(program: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      PORT: '0',
      PLAYGROUND_PORT: '0',
      ...env,
    },
    // A developer's .env is not the tests'.
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let shown = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      shown += piece
    })
  }
  onTestFinished(async () => {
    // It hands the signal on to what runs in it.
    child.kill('SIGTERM')
    await expect.poll(() => child.exitCode ?? child.signalCode, SOON).not.toBeNull()
  })
  return { shown: () => shown, child }
}

async function findChild(pid = 0): Promise<number> {
  return Number(await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
}

/** Checks if a process without a parent has ended, also while its exit status is not read yet. */
async function hasEnded(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tZ')
  return /^State:\t[ZX]/m.test(status)
}
