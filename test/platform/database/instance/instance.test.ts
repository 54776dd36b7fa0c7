import pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  aliveSql,
  createSilenceWatch,
  type InstanceDeps,
  LeaseLostError,
  registerInstance,
} from '../../../../src/platform/database/instance/instance.ts'
import { migrate } from '../../../../src/platform/database/migrate.ts'
import { openCuttableProxy } from '../../../bot/cuttable-proxy.ts'
import { startPostgresServer } from '../../../slow/chaos/postgres-server.ts'
import { makeFolder } from '../../../support/make-folder.ts'
import { createManualClock } from '../../time/manual-clock.ts'
import { createTestDatabase } from '../test-database.ts'
import { endInstance } from './end-instance.ts'

let url: string
let pool: pg.Pool

beforeEach(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => pool.end())
})

async function register(deps: Partial<InstanceDeps> = {}) {
  const instance = await registerInstance({ url, onError: () => {}, ...deps })
  onTestFinished(instance.release)
  return instance
}

async function isAlive(id: number): Promise<boolean> {
  const { rows } = await pool.query(`SELECT ${aliveSql('$1::int')} AS alive`, [id])
  return rows[0]?.alive
}

function createMachineClock() {
  const clock = createManualClock()
  let dateMs = 0
  return {
    now: clock.now,
    date: () => new Date(clock.now() + dateMs),
    sleep: clock.sleep,
    advance: clock.advance,
    untilAsleep: clock.untilAsleep,
    setDateForward: (ms: number) => {
      dateMs += ms
    },
  }
}

test('an instance is alive until it is released', async () => {
  const instance = await register()

  const before = await isAlive(instance.id)
  await instance.release()

  expect(before).toBe(true)
  expect(await isAlive(instance.id)).toBe(false)
  expect(instance.lost.reason).toBeInstanceOf(LeaseLostError)
})

test('an instance whose session was ended stays alive and goes on with a new one', async () => {
  const { id, session, leased, isInTouch } = await register()
  const first = session.connection()

  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )

  await expect.poll(() => session.connection() !== first && session.connection()).toBeTruthy()
  expect(await isAlive(id)).toBe(true)
  await leased()
  await expect.poll(isInTouch).toBe(true)
})

test('a start of the same name ends the one before at once, another name does not', async () => {
  const one = await register({ name: 'one' })
  const other = await register({ name: 'other' })

  const again = await register({ name: 'one' })

  expect(await isAlive(one.id)).toBe(false)
  expect(await isAlive(other.id)).toBe(true)
  expect(await isAlive(again.id)).toBe(true)
})

test('an instance that was ended by others loses its lease when it renews it', async () => {
  const instance = await register()
  await instance.leased()

  await endInstance(pool, instance)

  await expect.poll(() => instance.lost.aborted).toBe(true)
  await expect(instance.leased()).rejects.toBeInstanceOf(LeaseLostError)
})

test('an instance whose database does not answer says so within seconds, and goes on when it does again', async () => {
  const proxy = await openCuttableProxy(Number(new URL(url).port))
  onTestFinished(proxy.cut)
  const detour = new URL(url)
  detour.host = `127.0.0.1:${proxy.port}`
  const silence = Promise.withResolvers<void>()
  const { session, id, isInTouch } = await register({
    url: detour.href,
    onSilence: silence.resolve,
  })
  const first = session.connection()

  const before = isInTouch()

  proxy.swallow()
  await silence.promise

  expect([before, isInTouch()]).toEqual([true, false])
  await expect.poll(() => session.connection() !== first && session.connection()).toBeTruthy()
  expect(await isAlive(id)).toBe(true)
})

test('an instance that is cut off from the database may not act, and may again after it is back', async () => {
  const proxy = await openCuttableProxy(Number(new URL(url).port))
  const detour = new URL(url)
  detour.host = `127.0.0.1:${proxy.port}`
  const clock = createMachineClock()
  const { leased, lost, session } = await register({ url: detour.href, clock })
  await leased()
  proxy.cut()
  await expect.poll(() => session.connection()).toBeUndefined()
  clock.advance(6_000)

  let isAllowed = false
  const allowed = leased().then(
    () => {
      isAllowed = true
    },
    () => {},
  )
  await new Promise(setImmediate)

  expect(isAllowed).toBe(false)
  expect(lost.aborted).toBe(false)
  void allowed
})

test.each([
  ['monotonic time', (clock: ReturnType<typeof createMachineClock>) => clock.advance(6_000)],
  ['date', (clock: ReturnType<typeof createMachineClock>) => clock.setDateForward(6_000)],
])(
  'an instance may not act after a pause that only its %s shows, until it has renewed its lease',
  async (_, pause) => {
    const clock = createMachineClock()
    const locked = await pool.connect()
    const { leased, id } = await register({ clock })
    await clock.untilAsleep()
    // Its renewal waits for this lock.
    await locked.query('BEGIN')
    await locked.query('SELECT FROM public.instance WHERE id = $1 FOR UPDATE', [id])
    pause(clock)
    let isAllowed = false

    const allowed = leased().then(() => {
      isAllowed = true
    })
    await new Promise(setImmediate)
    const early = isAllowed
    await locked.query('ROLLBACK')
    locked.release()
    await clock.untilAsleep()
    clock.advance(1_000)
    await allowed

    expect(early).toBe(false)
  },
)

const row = (id: number, beatAt: string) => ({
  id,
  beatAt,
  works: [],
  leads: false,
  handsOver: false,
})

function look(
  { observe }: ReturnType<typeof createSilenceWatch>,
  { fromS, toS, beatAt }: { fromS: number; toS: number; beatAt: (second: number) => string },
): string[] {
  const silent: string[] = []
  for (let second = fromS; second <= toS; second++) {
    const rows = [row(1, `own ${second}`), row(2, beatAt(second))]
    for (const { id } of observe(rows, second * 1000)) silent.push(`${second}:${id}`)
  }
  return silent
}

test('a process that renews its row is never silent, also with a wrong clock', () => {
  const watch = createSilenceWatch()

  expect(look(watch, { fromS: 0, toS: 60, beatAt: (second) => `${-second}` })).toEqual([])
})

test('a process is silent when its row was the same for seven seconds', () => {
  const watch = createSilenceWatch()
  const beatAt = (second: number) => `${Math.min(second, 5)}`

  expect(look(watch, { fromS: 0, toS: 12, beatAt })).toEqual(['12:2'])
})

test('an observer that itself saw nothing for a while gives the others a whole lease', () => {
  const watch = createSilenceWatch()
  look(watch, { fromS: 0, toS: 5, beatAt: () => 'same' })

  expect(look(watch, { fromS: 30, toS: 37, beatAt: () => 'same' })).toEqual(['37:2'])
})

test('an observer that has just begun gives the others a whole lease', () => {
  const watch = createSilenceWatch()

  expect(look(watch, { fromS: 0, toS: 7, beatAt: () => 'same' })).toEqual(['7:2'])
})

test('a heartbeat is answered only once the synchronous standby has it: a primary that nobody follows renews no lease', async () => {
  const folder = await makeFolder()
  const server = await startPostgresServer(folder)
  onTestFinished(() => server.stop())
  await migrate(server.url)
  const operator = new pg.Client(server.url)
  await operator.connect()
  onTestFinished(() => operator.end())
  const follow = async (names: string) => {
    await operator.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    await operator.query('SELECT pg_reload_conf()')
  }
  const instance = await registerInstance({ url: server.url, onError: () => {} })
  onTestFinished(instance.release)
  const before = instance.isInTouch()

  await follow('gone')

  await expect.poll(instance.isInTouch, { timeout: 10_000 }).toBe(false)
  await follow('')
  expect(before).toBe(true)
  await expect.poll(instance.isInTouch, { timeout: 10_000 }).toBe(true)
})
