import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../src/service/ledger/keys/api-keys.ts'
import { findMoneyFaults } from '../e2e/chaos/find-money-faults.ts'
import { NOTHING, readGoingOn } from '../e2e/chaos/spend/going-on.ts'
import { startKopeck } from '../e2e/kopeck.ts'
import { openTelegram } from '../e2e/telegram-user.ts'
import { createMadeDatabase } from '../platform/database/made-before-init.ts'
import { openPool } from './upgrade-house.ts'

const SOON = { timeout: 60_000 }

/** Those who wrote before. Anna's answer was under way; Boris has a limit. */
const ANNA = 1001
const BORIS = 1002
/** The account of a customer, with what is left on it. */
const SHOP = { id: 2, balance_rub: 570 }

const FILES = 'SELECT unnest(files) AS name FROM service.task ORDER BY id'
const CUT_OFF = `
  SELECT hold.state, hold.cost_micro_rub AS cost, turn.state AS turn,
    charge.amount_micro_rub + charge.written_off_micro_rub AS charged
  FROM bot.turn AS turn JOIN bot.charge AS charge ON charge.turn_id = turn.id, service.hold AS hold
  WHERE turn.id = 5 AND hold.request_id = 'de3eb048-4330-4b89-82df-631ff204057d'`
const SIDES = `
  SELECT (SELECT -sum(amount_micro_rub) FROM service.entry WHERE account_id = 1 AND kind <> 'credit') AS moved,
    (SELECT sum(amount_micro_rub + written_off_micro_rub) FROM bot.charge) AS charged`

// Promise: The database was made by the version before, whose migrations were 89
test('this version is started where one with 89 migrations was killed: what was under way ends once, all else counts on, and every sum is right', {
  timeout: 3 * SOON.timeout,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-before-squash-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const own = { DATABASE_URL: await createMadeDatabase(), DATA_DIR: join(folder, 'data') }
  const pool = openPool(own.DATABASE_URL)
  const read = async (sql: string) => (await pool.query(sql)).rows
  const files = await read(FILES)
  await mkdir(join(own.DATA_DIR, 'media'), { recursive: true })
  for (const { name } of files) await writeFile(join(own.DATA_DIR, 'media', name), name)
  const limits = await read('SELECT * FROM bot.spend_limit')
  const told = await read('SELECT * FROM bot.message WHERE turn_id < 5 ORDER BY id')
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  telegram.playground.addUser({ id: ANNA, firstName: 'Anna', languageCode: 'en' })
  telegram.playground.addUser({ id: BORIS, firstName: 'Boris', languageCode: 'en' })

  const kopeck = await startKopeck({ ...telegram.env, ...own })
  onTestFinished(() => kopeck.kill())
  await expect.poll(() => readGoingOn(pool), SOON).toEqual(NOTHING)
  const untilAsked = telegram.playground.transcript(ANNA)
  const toBoris = telegram.playground.transcript(BORIS)
  telegram.say(ANNA, 'Explain inflation to a ten-year-old')
  telegram.say(BORIS, '/image a dog')
  const hasPicture = () => telegram.playground.transcript(BORIS).some(({ photo }) => photo)
  await expect.poll(hasPicture, SOON).toBe(true)
  await expect.poll(() => readGoingOn(pool), SOON).toEqual(NOTHING)

  // She reads once that it broke off; nothing that was delivered comes again.
  expect(untilAsked).toMatchObject([{ from: 'bot', text: expect.stringContaining('₽') }])
  expect(toBoris).toEqual([])
  const kept = { state: 'kept', cost: '2491050', turn: 'interrupted', charged: '2491050' }
  expect(await read(CUT_OFF)).toEqual([kept])
  expect(await read('SELECT * FROM bot.spend_limit')).toMatchObject(limits)
  expect(await read('SELECT * FROM bot.message WHERE turn_id < 5 ORDER BY id')).toMatchObject(told)
  // Two questions and their answers, and the one that was cut off, went along with her new one.
  const asked = 'SELECT history_messages AS history FROM bot.charge WHERE turn_id = 6'
  expect(await read(asked)).toEqual([{ history: 6 }])
  expect(await findMoneyFaults(pool)).toEqual([])
  const [sides] = await read(SIDES)
  expect(sides?.charged).toBe(sides?.moved)
  for (const { name } of files) {
    const result = await fetch(`${kopeck.address}/files/${name}`)
    expect([result.status, await result.text()]).toEqual([200, name])
  }
  const balance = await fetch(`${kopeck.address}/api/v1/balance`, {
    headers: { authorization: `Bearer ${await createApiKey(pool, SHOP.id)}` },
  })
  expect(await balance.json()).toEqual({ balance_rub: SHOP.balance_rub })
  expect(await kopeck.stop()).toBe(0)
})
