import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEmptyDatabase, createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { runKopeck } from '../../support/kopeck.ts'

interface Scene {
  folder: string
  write(name: string, content: unknown): Promise<string>
  databaseUrl: string
  otherDatabase(
    changes: Partial<
      Pick<URL, 'username' | 'password' | 'pathname' | 'port' | 'hostname' | 'search'>
    >,
  ): string
  freePort: string
  takenPort: string
}

interface Start {
  env: Record<string, string>
  roles?: string[]
  cwd?: string
  says: string
}

type Mistake = [title: string, make: (scene: Scene) => Start | Promise<Start>]

const MODEL = {
  ...{ id: 'alpha', family: 'A', context_tokens: 1000 },
  ...{ prompt_rub_per_1m: '150', completion_rub_per_1m: '600', provider: { type: 'demo' } },
}
const UPSTREAM = { type: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'm' }
const ROLE = 'kopeck_reads'
const ROOT = join(import.meta.dirname, '../../..')

let scene: Scene
let blocker: Server

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-mistakes-'))
  const databaseUrl = await createTestDatabase()
  blocker = createServer((socket) => socket.destroy())
  await new Promise<void>((done) => blocker.listen(0, '127.0.0.1', done))
  const address = blocker.address()
  scene = {
    folder,
    async write(name, content) {
      const path = join(folder, name)
      await writeFile(path, Buffer.isBuffer(content) ? content : JSON.stringify(content))
      return path
    },
    databaseUrl,
    otherDatabase: (changes) => Object.assign(new URL(databaseUrl), changes).href,
    freePort: await findFreePort(),
    takenPort: String(typeof address === 'object' && address?.port),
  }
})

afterAll(async () => {
  await onDatabase(scene.databaseUrl, `DROP ROLE IF EXISTS ${ROLE}`)
  blocker.close()
  await rm(scene.folder, { recursive: true })
})

// Promise: An operator makes a mistake in the configuration, a variable, the database, a port or a folder
describe.concurrent('a start that cannot succeed says why in one sentence, and ends with 2', () => {
  const inDatabase: Mistake[] = [
    [
      'a wrong password',
      (scene) =>
        atDatabase(
          scene,
          { password: 'hunter2' },
          'the server at HOST refuses the user "kopeck" with this password',
        ),
    ],
    [
      'a database that is not there',
      (scene) =>
        atDatabase(
          scene,
          { pathname: '/nowhere' },
          'the server at HOST has no database "nowhere"; make it there: createdb nowhere',
        ),
    ],
    [
      'a port of another program',
      (scene) =>
        atDatabase(
          scene,
          { port: scene.takenPort },
          'what listens at HOST ends the connection, as no PostgreSQL does',
        ),
    ],
    [
      'a host that is not there',
      (scene) => atDatabase(scene, { hostname: 'db..lan' }, 'there is no host "db..lan"'),
    ],
    [
      'TLS where there is none',
      (scene) =>
        atDatabase(
          scene,
          { search: '?sslmode=verify-full' },
          'it asks for TLS (sslmode), which the server at HOST does not speak',
        ),
    ],
    [
      'a user who may make no tables',
      async (scene) => {
        const DATABASE_URL = await createEmptyDatabase()
        await onDatabase(DATABASE_URL, `CREATE ROLE ${ROLE} LOGIN PASSWORD 'p'`)
        return service(
          scene,
          {
            DATABASE_URL: Object.assign(new URL(DATABASE_URL), { username: ROLE, password: 'p' })
              .href,
          },
          'Cannot use the database: DATABASE_URL: its user may make no tables there (permission denied for schema public); let it own the database',
        )
      },
    ],
    [
      'the database of another version',
      async (scene) => {
        const DATABASE_URL = await createTestDatabase()
        await onDatabase(
          DATABASE_URL,
          `UPDATE _prisma_migrations SET migration_name = '29991231000000_later' WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`,
        )
        return service(
          scene,
          { DATABASE_URL },
          'Cannot migrate the database: "29991231000000_later" was applied by another version of Kopeck; start that version',
        )
      },
    ],
  ]
  const inPorts: Mistake[] = [
    [
      'a PORT in use',
      (scene) =>
        service(
          scene,
          { PORT: scene.takenPort },
          `Cannot start: PORT ${scene.takenPort} on 127.0.0.1 is in use`,
        ),
    ],
    [
      'a HOST of another machine',
      (scene) =>
        service(
          scene,
          { HOST: '192.0.2.1' },
          'Cannot start: HOST 192.0.2.1 is no address of this machine; 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses',
        ),
    ],
  ]
  const inFolders: Mistake[] = [
    [
      'a DATA_DIR that is a file',
      async (scene) =>
        inFolder(
          await scene.write('data', {}),
          'a file, or a link that leads nowhere, is in its way (EEXIST)',
        ),
    ],
    [
      'a DATA_DIR where none can be made',
      () => inFolder('/proc/kopeck', 'it cannot be made there (ENOENT)'),
    ],
    [
      'a DATA_DIR of another PostgreSQL',
      async ({ folder }) => {
        const dataDir = join(folder, 'older')
        const postgres = join(dataDir, 'playground/postgres')
        await mkdir(postgres, { recursive: true })
        await writeFile(join(postgres, 'PG_VERSION'), '12\n')
        return inFolder(
          dataDir,
          'its files are of PostgreSQL 12, and this Kopeck has 18; start a Kopeck that has 12 there, dump the database, and load it into a new DATA_DIR with this one (docs/backup.md#another-major-version)',
        )
      },
    ],
    [
      'a DATA_DIR whose restore did not end',
      async ({ folder }) => {
        const dataDir = join(folder, 'restored')
        await mkdir(join(dataDir, 'playground/restoring'), { recursive: true })
        return inFolder(
          dataDir,
          'a restore into it did not end; empty the folder and restore again',
        )
      },
    ],
  ]
  const inFiles: Mistake[] = [
    [
      'a SERVICE_CONFIG that is no JSON',
      async (scene) => {
        const path = await scene.write('broken.json', Buffer.from('{\n  "chat": {,}\n}'))
        return inConfig(path, `the file "${path}" should be JSON: look at line 2, column 12`)
      },
    ],
    [
      'a name that is given twice',
      async (scene) => {
        const json = JSON.stringify({ chat: { models: [MODEL] } }).replace(
          '"family"',
          '"id":"beta","family"',
        )
        return inConfig(
          await scene.write('twice.json', Buffer.from(json)),
          'chat.models[0].id: a name that is given once, not twice',
        )
      },
    ],
    [
      'a field that is misspelt',
      async (scene) => {
        const path = await scene.write('field.json', { chat: { models: [MODEL], model: 1 } })
        return inConfig(path, 'chat.model: no known name, known are models')
      },
    ],
    [
      'a key in the file',
      async (scene) => {
        const model = { ...MODEL, provider: { ...UPSTREAM, api_key_env: 'gsk_hunter2' } }
        const path = await scene.write('leak.json', { chat: { models: [model] } })
        return inConfig(
          path,
          'chat.models[0].provider.api_key_env: the name of an environment variable that is set, of A-Z, 0-9 and _, not the key itself',
        )
      },
    ],
    [
      'an .env that is a folder',
      async ({ folder }) => {
        const cwd = join(folder, 'env')
        await mkdir(join(cwd, '.env'), { recursive: true })
        return { env: {}, cwd, says: wrongConfig(`Cannot read the file "${cwd}/.env" (EISDIR)`) }
      },
    ],
  ]
  const inRoles: Mistake[] = [
    [
      'a role that is none',
      () => ({
        env: {},
        roles: ['sevice'],
        says: wrongConfig(
          'unknown role: npm start runs every role, npm start -- bot or npm start -- service one',
        ),
      }),
    ],
    [
      'a bot alone, its service misspelt',
      () => ({
        env: { SERVICE_URI: 'https://example.com/api/v1', SERVICE_API_KEY: 'k' },
        roles: ['bot'],
        says: wrongConfig(
          'SERVICE_URL and SERVICE_API_KEY: set both for a remote service, or neither',
          'SERVICE_URL: should be set when the bot runs alone, it needs a service to talk to',
          'SERVICE_URI is no variable of Kopeck: is SERVICE_URL meant?',
        ),
      }),
    ],
  ]

  test.each([...inDatabase, ...inPorts, ...inFolders, ...inFiles, ...inRoles])(
    '%s',
    { timeout: 60_000 },
    async (_, make) => {
      const { env, roles = [], cwd, says } = await make(scene)

      const ended = await runKopeck({ PORT: '0', LOG_LEVEL: 'fatal', ...env }, roles, {
        ...(cwd !== undefined && { cwd }),
      })

      expect(ended).toEqual({ code: 2, output: `${says}\n` })
    },
  )
})

/** In a test's own words: the program's would be right by themselves. */
const DATABASE_URL_WORDS =
  'a PostgreSQL URL of one host, postgresql://user:password@host:5432/database; one address leads to the primary of several (docs/scale.md)'

/** Variables that are wrong in themselves: one start tells them all. */
const VARIABLES = {
  BOT_TOKEN: ['hunter2', 'should be a bot token as BotFather gives it, 123456:ABC…'],
  TELEGRAM_API_ROOT: ['ftp://example.com', 'should be an http or https URL'],
  SEND_LIMITS: [
    '{"overall_per_second":1,"overall_per_second":2}',
    'overall_per_second: a name that is given once, not twice',
  ],
  ADMIN_IDS: ['me', 'should be Telegram user ids with commas between: 123456789,987654321'],
  DATABASE_URL: [
    'postgresql://kopeck:hunter2%@127.0.0.1/kopeck',
    `should be ${DATABASE_URL_WORDS}`,
  ],
  PORT: ['3OOO', 'should be a port number from 0 to 65535'],
  PUBLIC_URL: ['example.com', 'should be an http or https URL'],
  OPENAI_API_KEY: ['"sk-hunter2"', 'should be the key alone, in one line and without quotes'],
  USD_RUB: ['82 roubles', 'should be the roubles that a dollar costs, above 0: 81.9'],
  BUDGET_RUB: ['a lot', 'should be roubles a month as a decimal: 5000'],
  TIME_ZONE: ['Moscow', 'should be an IANA time zone such as Europe/Moscow'],
  LOG_LEVEL: ['loud', 'should be one of fatal, error, warn, info, debug, trace, silent'],
} satisfies Record<string, [value: string, says: string]>

// Promise: An operator makes a mistake in the configuration, a variable, the database, a port or a folder
test('every variable that is wrong is named in a line of its own, and no value that may be a secret is repeated', async () => {
  const env = Object.fromEntries(Object.entries(VARIABLES).map(([name, [value]]) => [name, value]))

  const { code, output } = await runKopeck(env)

  const [head, ...lines] = output.trimEnd().split('\n')
  expect([code, head]).toEqual([2, 'Kopeck cannot start with this configuration:'])
  const says = Object.entries(VARIABLES).map(([name, [, problem]]) => `  ${name}: ${problem}`)
  expect(lines.sort()).toEqual(says.sort())
})

test('what is said before a start is ready stands on standard error, apart from the banner that npm prints', async () => {
  const env = { PATH: process.env.PATH ?? '', BOT_TOKEN: 'hunter2' }
  const started = promisify(execFile)('npm', ['start'], { cwd: ROOT, env })

  await expect(started).rejects.toMatchObject({
    code: 2,
    stdout: expect.not.stringContaining('BOT_TOKEN'),
    stderr: `${wrongConfig(`BOT_TOKEN: ${VARIABLES.BOT_TOKEN[1]}`)}\n`,
  })
})

test.each<[string, Parameters<Scene['otherDatabase']>[0] | string, string]>([
  [
    'a wrong password',
    { password: 'hunter2' },
    'the server at HOST refuses the user "kopeck" with this password',
  ],
  ['a port that nobody hears', { port: '1' }, 'nobody listens at HOST'],
  ['no URL', 'localhost', `should be ${DATABASE_URL_WORDS}`],
  [
    'several hosts, as libpq has them',
    'postgresql://kopeck:hunter2@one,two/kopeck?target_session_attrs=read-write',
    `should be ${DATABASE_URL_WORDS}`,
  ],
])('a command says the same of DATABASE_URL with %s, at once', async (_, given, says) => {
  const url = typeof given === 'string' ? given : scene.otherDatabase(given)
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: url }
  const command = [join(ROOT, 'src/cli/kopeck.ts'), 'account', 'list']

  const listed = promisify(execFile)(process.execPath, command, { env, cwd: scene.folder })

  const words = says.replace('HOST', URL.parse(url)?.host ?? '')
  await expect(listed).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: `Cannot use the database: DATABASE_URL: ${words}\n`,
  })
})

function service({ folder, databaseUrl }: Scene, env: Record<string, string>, says: string): Start {
  return {
    env: { DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'own'), ...env },
    roles: ['service'],
    says,
  }
}

/** @param says What is said, with HOST for the server. */
function atDatabase(
  scene: Scene,
  changes: Parameters<Scene['otherDatabase']>[0],
  says: string,
): Start {
  const DATABASE_URL = scene.otherDatabase(changes)
  const words = says.replace('HOST', new URL(DATABASE_URL).host)
  return service(scene, { DATABASE_URL }, `Cannot use the database: DATABASE_URL: ${words}`)
}

function inFolder(dataDir: string, problem: string): Start {
  const folder = join(dataDir, 'playground')
  return { env: { DATA_DIR: dataDir }, says: `Cannot use DATA_DIR "${folder}": ${problem}` }
}

function inConfig(path: string, problem: string): Start {
  return { env: { SERVICE_CONFIG: path }, says: wrongConfig(`SERVICE_CONFIG: ${problem}`) }
}

function wrongConfig(...problems: string[]): string {
  return [
    'Kopeck cannot start with this configuration:',
    ...problems.map((problem) => `  ${problem}`),
  ].join('\n')
}

async function onDatabase(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(sql)
  await client.end()
}
