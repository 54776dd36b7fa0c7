import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAccount } from '../../../src/service/ledger/accounts.ts'
import { countOf, rowsOf } from '../rows.ts'
import { type CallbackSetup, openCallbackSetup, PRICE_MICRO_RUB } from './callback-setup.ts'

const HOOK = 'https://hooks.example.com/hook?token=hush'
const ADDRESS = '93.184.215.14'
const NAMES = new Map([
  ['hooks.example.com', [ADDRESS]],
  ['hooks.example.com.', [ADDRESS, '2606:2800:21f:cb07:6820:80da:af6b:8b2c']],
  ['xn--e1afmkfd.xn--p1ai', [ADDRESS]],
  ['under_score.example.com', [ADDRESS]],
])

let setup: CallbackSetup
let service: Awaited<ReturnType<CallbackSetup['addProcess']>>

beforeAll(async () => {
  setup = await openCallbackSetup()
  service = await setup.addProcess({
    allow: ['127.0.0.1:9000', 'receiver.lan:25', '[::1]:9000'],
    names: new Map([
      ...NAMES,
      ['receiver.lan', ['10.0.0.1']],
      ['inside.example.com', ['10.0.0.2']],
    ]),
  })
})

afterAll(() => setup.close())

const balance = async () =>
  (await findAccount(setup.database.pool, setup.accountId))?.balanceMicroRub
const countTasks = () => countOf(setup.database.pool, 'task')
const storedUrl = async (id: number) =>
  (await rowsOf(setup.database.pool, 'task', 'WHERE id = $1', [id]))[0]?.callbackUrl

test.each([
  'http://127.0.0.1/hook',
  'http://127.0.0.1:9001/',
  'http://127.0.0.2:9000/',
  'http://receiver.lan/',
  'https://inside.example.com/',
  'ftp://hooks.example.com/',
  `https://hooks.example.com/${'a'.repeat(475)}`,
])('X-Callback-Url %j is refused with 422 and charges nothing', async (url) => {
  const before = { balance: await balance(), tasks: await countTasks() }

  const answer = await service.create(url)

  expect(answer).toEqual({
    status: 422,
    body: { detail: [{ loc: ['header', 'X-Callback-Url'], msg: expect.stringMatching(/^must /) }] },
  })
  expect({ balance: await balance(), tasks: await countTasks() }).toEqual(before)
})

test.each([
  HOOK,
  'https://xn--e1afmkfd.xn--p1ai/',
  'https://hooks.example.com/?to=http://127.0.0.1/&user=a@b.c',
  `https://hooks.example.com/${'a'.repeat(474)}`,
])('X-Callback-Url %s is kept with the task', async (url) => {
  const answer = await service.create(url)

  expect(answer.status).toBe(200)
  expect(await storedUrl(answer.body.task_id)).toBe(url)
})

test.each(['http://127.0.0.1:9000/', 'http://receiver.lan:25/'])(
  'X-Callback-Url %s is let through by CALLBACK_ALLOW',
  async (url) => {
    expect((await service.create(url)).status).toBe(200)
  },
)

test('a repeat with the same idempotency key keeps the first callback URL and is charged once', async () => {
  const headers = { 'idempotency-key': 'once' }
  const before = (await balance()) ?? 0n

  const first = await service.create(HOOK, headers)
  const second = await service.create('https://hooks.example.com/other', headers)

  expect(second).toEqual(first)
  expect(await storedUrl(first.body.task_id)).toBe(HOOK)
  expect(before - ((await balance()) ?? 0n)).toBe(PRICE_MICRO_RUB)
})
