import { execFile } from 'node:child_process'
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.ts'
import { toDatabaseRefusal } from '../../../src/platform/database/database-refused.ts'
import {
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../../../src/platform/database/embedded.ts'
import { openPrisma } from '../../../src/platform/database/prisma.ts'
import { makeSelfSigned } from '../../support/self-signed.ts'

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')
const SESSION_SQL = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'

let folder: string
let server: EmbeddedDatabase
let trusting: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kopeck-tls-'))
  server = await startEmbeddedDatabase({ dataDir: folder })
  await speakTls('localhost')
})

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

async function speakTls(commonName: string): Promise<void> {
  await server.stop()
  const certificate = makeSelfSigned(commonName)
  const cluster = join(folder, 'postgres')
  const { uid, gid } = await stat(cluster)
  for (const [name, text] of Object.entries(certificate)) {
    const path = join(cluster, `tls.${name}`)
    // PostgreSQL takes no key that others could read, nor one of another user.
    await writeFile(path, text, { mode: 0o600 })
    await chown(path, uid, gid)
  }
  const settings = ['ssl=on', 'ssl_cert_file=tls.cert', 'ssl_key_file=tls.key']
  server = await startEmbeddedDatabase({ dataDir: folder, settings })
  const trusted = join(folder, `${commonName}.pem`)
  await writeFile(trusted, certificate.cert)
  trusting = `sslrootcert=${trusted}`
}

function urlWith(search: string): string {
  return Object.assign(new URL(server.url), { hostname: 'localhost', search }).href
}

async function connect(search: string): Promise<string> {
  const url = urlWith(search)
  const { pool, close } = openDatabase({ url, connectionsMax: 1 })
  const prisma = openPrisma(pool)
  try {
    const { rows } = await pool.query<{ ssl: boolean }>(SESSION_SQL)
    const ofPrisma = await prisma.$queryRawUnsafe<{ ssl: boolean }[]>(SESSION_SQL)
    expect(ofPrisma).toEqual(rows)
    return rows[0]?.ssl ? 'encrypted' : 'plain'
  } catch (error) {
    return (toDatabaseRefusal(error, url) as Error).message.replace(/localhost:\d+/, 'HOST')
  } finally {
    await prisma.$disconnect()
    await close()
  }
}

const UNKNOWN =
  'Cannot use the database: DATABASE_URL: cannot connect to HOST: self-signed certificate'

test.each(['prefer', 'require', 'verify-ca', 'verify-full'])(
  'sslmode=%s encrypts what goes to the database, and refuses a certificate that is not trusted',
  async (mode) => {
    expect(await connect(`sslmode=${mode}&${trusting}`)).toBe('encrypted')
    expect(await connect(`sslmode=${mode}`)).toBe(UNKNOWN)
  },
)

test.each([
  ['', 'plain'],
  ['sslmode=disable', 'plain'],
  ['sslmode=no-verify', 'encrypted'],
  ['uselibpqcompat=true&sslmode=require', 'encrypted'],
])('a URL that ends in ?%s is taken at its word: %s', async (search, connection) => {
  expect(await connect(search)).toBe(connection)
})

test('a command with sslmode=require does its work, and says nothing of how it connects', async () => {
  const listed = promisify(execFile)(process.execPath, [COMMAND, 'account', 'list', '--json'], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: urlWith(`application_name=tls&sslmode=require&${trusting}`),
    },
    cwd: folder,
  })

  await expect(listed).resolves.toMatchObject({ stderr: '' })
}, 30_000)

test('a certificate for another name is refused with sslmode=require and verify-ca, although it is trusted', async () => {
  await speakTls('db.example')

  for (const mode of ['require', 'verify-ca']) {
    expect(await connect(`sslmode=${mode}&${trusting}`)).toMatch(
      /^Cannot use the database: DATABASE_URL: cannot connect to HOST: Hostname\/IP does not match/,
    )
  }
})
