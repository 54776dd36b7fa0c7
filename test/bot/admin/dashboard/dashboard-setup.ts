import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Role, SignInAnswer, WireVisitor } from '../../../../src/bot/admin/dashboard/api.ts'
import { createDashboard } from '../../../../src/bot/admin/dashboard/dashboard.ts'
import { createDashboardPlugin } from '../../../../src/bot/admin/dashboard/dashboard-plugin.ts'
import { toPageAddress } from '../../../../src/bot/admin/dashboard/page-address.ts'
import { createAlertSettings } from '../../../../src/bot/alerts/alert-settings.ts'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import { createAccess } from '../../../../src/bot/people/access/access.ts'
import { type Admittance, createAdmittance } from '../../../../src/bot/people/access/admittance.ts'
import { createRoles } from '../../../../src/bot/people/access/roles.ts'
import { createRequestCopies } from '../../../../src/bot/people/request-copies.ts'
import { ServiceBalance } from '../../../../src/bot/spend/balance.ts'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { Limits } from '../../../../src/bot/spend/limits.ts'
import { Reports } from '../../../../src/bot/spend/reports.ts'
import type { Outbox } from '../../../../src/bot/telegram/send.ts'
import { ServiceError } from '../../../../src/contract/client/service-error.ts'
import { readTime } from '../../../../src/platform/database/prisma.ts'
import { makeInitData } from '../../../../src/playground/control/mini-apps.ts'
import { createHttpServer } from '../../../../src/process/http-server.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestClock } from '../../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'

export const BOT_TOKEN = '123456:token-of-the-bot'
export const ADMIN = 1
export const VIEWER = 2
export const ANNA = 101
export const BALANCE_MICRO_RUB = 1_234_500_000n

export interface Answer {
  status: number
  headers: Headers
  body: unknown
}

/** The page's server over a database, with an admin, a viewer and a built page, as a browser reaches it. */
export async function setUpDashboard({
  publicUrl,
  hasBot = true,
  ...given
}: {
  publicUrl?: string
  hasBot?: boolean
  pageDir?: string
  framedBy?: readonly string[]
  trustedProxies?: readonly string[]
} = {}) {
  const url = await createTestDatabase()
  const databaseClock = await createTestClock(url)
  const database = openTestDatabase({ url })
  const { prisma, pool } = database
  const clock = createManualClock()
  const log = pino({ level: 'silent' })
  const settings = {
    adminIds: new Set<number>(),
    viewerIds: new Set<number>(),
    allowedUserIds: 'everybody' as const,
    timeZone: 'Europe/Moscow',
  }
  const access = createAccess(settings)
  const roles = createRoles({ prisma, settings, access })
  const calendar = createCalendar(settings)
  const sentTexts: string[] = []
  const service = {
    balanceMicroRub: BALANCE_MICRO_RUB,
    isAway: false,
    async balance() {
      if (service.isAway) throw new ServiceError('service_unavailable', 'The service is away')
      return { balanceMicroRub: service.balanceMicroRub, honoursIdempotencyKey: true }
    },
  }
  const outbox = {
    send: async ({ text }: { text: string }) => sentTexts.push(text),
  } as unknown as Outbox
  const admittance: Admittance = createAdmittance({
    prisma,
    settings,
    access,
    copies: createRequestCopies({ prisma, roles, outbox, log }),
    clock,
    log,
    texts: createTexts(),
    outbox,
    showMenus: async () => {},
    onBlocked: async () => {},
    showLater: async (notice) => void (await admittance.show(notice)),
  })
  await prisma.user.createMany({
    data: [
      { id: ADMIN, firstName: 'Ада', languageCode: 'ru', role: 'admin' },
      { id: VIEWER, firstName: 'Victor', languageCode: 'en', role: 'viewer' },
      { id: ANNA, firstName: 'Anna', username: 'anna' },
    ],
  })
  const dashboard = createDashboard({
    access,
    decisions: admittance.ofPage,
    pool,
    prisma,
    settings,
    roles,
    calendar,
    clock,
    log,
    botToken: BOT_TOKEN,
    page: toPageAddress({ publicUrl, localRoot: 'http://127.0.0.1:3000' }),
    limits: new Limits({ prisma, calendar, adminIds: settings.adminIds }),
    alertSettings: createAlertSettings(prisma),
    reports: new Reports({ prisma, calendar }),
    balance: new ServiceBalance({ prisma, calendar, service }),
    sweep: { add: async () => {} },
  })
  const pageDir = given.pageDir ?? (await buildPage())
  const http = createHttpServer({ log, trustedProxies: given.trustedProxies ?? [] })
  const findDashboard = () => (hasBot ? dashboard : undefined)
  await http.register(
    createDashboardPlugin({
      publicUrl,
      framedBy: given.framedBy,
      findDashboard,
      pageDir,
    }),
  )
  const root = await http.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    dashboard.stop()
    http.server.closeAllConnections()
    await http.close()
    await database.close()
  })
  return {
    prisma,
    tickets: dashboard.tickets,
    liveStreams: dashboard.liveStreams,
    clock,
    databaseClock,
    service,
    root,
    sentTexts,
    ask,
    initDataOf,
    signIn,
    setRole,
  }

  async function ask(
    method: string,
    path: string,
    {
      token,
      body,
      ...init
    }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const headers = new Headers({
      ...(method !== 'GET' && { origin: root }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    })
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    const response = await fetch(`${root}/admin${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const { status } = response
    return {
      status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }

  async function initDataOf(userId: number, { ageS = 0, token = BOT_TOKEN } = {}): Promise<string> {
    const at = new Date((await readTime(prisma)).getTime() - ageS * 1000)
    return makeInitData({ id: userId, is_bot: false, first_name: 'Anna' }, { token, at })
  }

  async function setRole(userId: number, role: Role | null): Promise<void> {
    await prisma.user.update({ where: { id: userId }, data: { role } })
  }

  async function signIn(userId: number): Promise<string> {
    const body = { initData: await initDataOf(userId) }
    return ((await ask('POST', '/api/session', { body })).body as SignInAnswer).token
  }
}

async function buildPage(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kopeck-page-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await mkdir(join(dir, 'assets'))
  await writeFile(join(dir, 'index.html'), '<!doctype html><title>Kopeck</title>')
  await writeFile(join(dir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(dir, 'assets', 'index-0a1b2c.js'), 'export {}')
  return dir
}

export function meOf({ body }: Answer): WireVisitor {
  return (body as SignInAnswer).me
}

export function detailOf({ body }: Answer): string {
  return (body as { detail: string }).detail
}
