/**
 * Uses a house as people and machines do, each thing once: so that each kind of statement is run, not each state
 * of the program reached.
 */
import { expect } from 'vitest'
import type { SignInAnswer } from '../../../src/bot/admin/dashboard/api.ts'
import { createSpendProgram } from '../../../src/cli/spend-program.ts'
import { runAccount } from '../../cli/account/run-account.ts'
import type { House } from './open-house.ts'

/** The messages of an admin with a long conversation, to press all buttons of the answers. */
const PRESSED = ['/usage', '/history', '/chats', '/orders', '/spend', '/spend 1001', '/users']
/** The other messages of one who talks, orders and looks after the bot. */
const WORDS = `
  /start; What is a kopeck?; /system Be brief; /system; /history; /export; /chats word; /model; /retry; /stop
  /costnote; /image a fox; /sound a fox; /language; /media; /spend user 12; /spend all; /spend csv
  /balance; /stats; /users user1500; /users @user1500; /access; /dashboard; /alerts; /limit; /limit 1001 1 day
  /limit all 1000000 month
  /limit 1001; /block; /settings; /new; And a rouble?`
  .trim()
  .split(/;|\n/)

/** The bot, as one who may do everything. */
export async function useBot({ write, press, killAmid }: House): Promise<void> {
  for (const words of PRESSED) await press(await write(words))
  for (const words of WORDS) await write(words.trim())
  await killAmid({ order: '/image a hare', question: 'What is a pound?' })
  await write('/forget')
}

const PAGES = [
  ...['session', 'overview?span=30d', 'overview?span=all', 'overview?span=today&user=1001'],
  ...['users?span=month', 'users?span=all&search=user', 'users/1001?span=30d', 'limits', 'changes'],
  ...['access', 'access?search=anna', 'alerts', 'balance'],
]

const ALERTS = {
  balanceBelowMicroRub: '1000000',
  daysLeftBelow: 3,
  unusualTimes: 5,
  serviceFailures: true,
  digestHour: 0,
}
const CHANGES: [method: 'PUT' | 'DELETE', path: string, body?: object][] = [
  ['PUT', 'limits/1002/week', { amountMicroRub: '5000000' }],
  ['DELETE', 'limits/1002/week'],
  ['PUT', 'users/1003/access', { decision: 'blocked' }],
  ['PUT', 'users/1004/role', { role: 'viewer' }],
  ['PUT', 'alerts', ALERTS],
  ['DELETE', 'session'],
]

/** The dashboard: every page, every change, a file and the live figures. */
export async function useDashboard({ root, signIn }: House): Promise<void> {
  const origin = root()
  const api = `${origin}/admin/api`
  const json = { 'content-type': 'application/json', origin }
  const body = JSON.stringify({ initData: signIn() })
  const session = await fetch(`${api}/session`, { method: 'POST', headers: json, body })
  const { token } = (await session.json()) as SignInAnswer
  const authorization = `Bearer ${token}`
  for (const page of PAGES) await ask(`${api}/${page}`, { headers: { authorization } })
  const live = await fetch(`${api}/live`, { headers: { authorization } })
  const events = live.body?.getReader()
  await events?.read()
  await events?.cancel()
  const file = await ask(`${api}/downloads`, {
    method: 'POST',
    headers: { ...json, authorization },
    body: JSON.stringify({ span: 'today' }),
  })
  const { path } = (await file.json()) as { path: string }
  await (await ask(`${origin}/admin/${path}`)).text()
  for (const [method, path, change] of CHANGES) {
    const headers = change === undefined ? { origin, authorization } : { ...json, authorization }
    await ask(`${api}/${path}`, { method, headers, body: JSON.stringify(change) ?? null })
  }
}

const KEY_TERMS = ['--spend-limit', '500', '--spend-period', 'month', '--rate', '20']

/** The service, as a customer whose key has a limit, by both of its doors, and as Prometheus. */
export async function useService({ root, url }: House): Promise<void> {
  const { account_id: accountId } = JSON.parse(
    await runAccount(url, 'create', '--name', 'customer', '--credit', '1000'),
  ) as { account_id: number }
  const { api_key: key } = JSON.parse(
    await runAccount(url, 'create-key', String(accountId), ...KEY_TERMS),
  ) as { api_key: string }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const v1 = `${root()}/api/v1`
  const messages = [{ role: 'user', content: 'Hi' }]
  const model = 'alpha-large'
  const post = (path: string, body: object, named = {}) =>
    ask(`${v1}/${path}`, {
      method: 'POST',
      headers: { ...headers, ...named },
      body: JSON.stringify(body),
    })
  for (const door of ['chats/completions', 'chat/completions']) {
    await (await post(door, { model, messages })).text()
    await (await post(door, { model, messages, stream: true })).text()
    for (const key of [door, door]) {
      await (await post(door, { model, messages }, { 'idempotency-key': key })).text()
    }
  }
  const task = await post('images/imagegen-generate', { prompt: 'a fox' })
  const { task_id: taskId } = (await task.json()) as { task_id: number }
  const paths = [
    ...[`task/${taskId}`, 'balance', 'key', 'prices', 'chats/models', 'models', 'callback/secret'],
  ]
  for (const path of paths) await ask(`${v1}/${path}`, { headers })
  for (const path of ['metrics', 'healthz']) await ask(`${root()}/${path}`)
}

/** The commands of an operator, but `spend rebuild`: it makes all there is again. */
export async function useCommands({ url }: House): Promise<void> {
  const reports = [
    ...[
      ['list'],
      ['history', '7'],
      ['usage', '7'],
      ['usage', '--by', 'model'],
      ['keys', '7'],
      ['limits', '7'],
    ],
    ...[
      ['credit', '7', '1', '--reference', 'payment 1'],
      ['debit', '7', '1'],
      ['rename', '7', 'other'],
    ],
    ...[['freeze', '7'], ['unfreeze', '7'], ['close', '7'], ['check']],
  ]
  for (const report of reports) await runAccount(url, ...report)
  const spend = createSpendProgram({
    use: 'kopeck spend',
    env: { DATABASE_URL: url },
    print: () => {},
  })
  await spend.parseAsync(['check'], { from: 'user' })
}

async function ask(address: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(address, init)
  expect([address, answer.ok]).toEqual([address, true])
  return answer
}
