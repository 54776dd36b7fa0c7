import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { findFreePort } from '../http/free-port.ts'

const DEBIAN = '/usr/sbin/pgbouncer'

/** The pooler of Debian's package, or the one at PGBOUNCER_PATH; undefined where there is none. */
export const PGBOUNCER = process.env.PGBOUNCER_PATH ?? (existsSync(DEBIAN) ? DEBIAN : undefined)

export type PoolMode = 'session' | 'transaction' | 'statement'

/** Puts a pooler before a server until the test has ended. @returns The URL that leads through it. */
export async function startPgbouncer(serverUrl: string, mode: PoolMode): Promise<string> {
  const server = new URL(serverUrl)
  const name = server.pathname.slice(1)
  const port = await findFreePort()
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-pgbouncer-'))
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
${name} = host=127.0.0.1 port=${server.port} user=${server.username} password=${decodeURIComponent(server.password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 60
`,
  )
  // It refuses to run as root.
  await Promise.all([chmod(folder, 0o755), chmod(settings, 0o644)])
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(PGBOUNCER ?? '', ['-q', ...user, settings], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true })
  })
  const url = `postgresql://${server.username}:any@127.0.0.1:${port}/${name}`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
  }
  return url
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
    return false
  } finally {
    await client.end()
  }
}
