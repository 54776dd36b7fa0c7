import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { toPageAddress } from '../../../../src/bot/admin/page/links.ts'
import { createAdminPage, createPagePlugin } from '../../../../src/bot/admin/page/server.ts'
import { makeTicket } from '../../../../src/bot/admin/page/sign-in.ts'
import { createAccess } from '../../../../src/bot/people/access.ts'
import { AccessRequests, createPageDecisions } from '../../../../src/bot/people/access-requests.ts'
import { showRole } from '../../../../src/bot/people/roles.ts'
import { ServiceBalance } from '../../../../src/bot/spend/balance.ts'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { Limits } from '../../../../src/bot/spend/limits.ts'
import { Reports } from '../../../../src/bot/spend/reports.ts'
import { StoredSettings } from '../../../../src/bot/stored-settings.ts'
import type { Outbox } from '../../../../src/bot/telegram/send.ts'
import { createTexts } from '../../../../src/bot/texts/texts.ts'
import { ServiceError } from '../../../../src/contract/client/service-error.ts'
import type { TicketPurpose, UserRole } from '../../../../src/platform/database/generated/enums.ts'
import { readTime } from '../../../../src/platform/database/prisma.ts'
import { systemClock } from '../../../../src/platform/time/clock.ts'
import { makeInitData } from '../../../../src/playground/control/mini-apps.ts'
import { createHttpServer } from '../../../../src/process/http-server.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestClock } from '../../../platform/database/test-clock.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { createManualClock } from '../../../platform/time/manual-clock.ts'
import { createPeople } from '../../people/create-people.ts'

export const BOT_TOKEN = '123456:token-of-the-bot'
export const ADMIN = 1
export const VIEWER = 2
export const ANNA = 101
const BALANCE_MICRO_RUB = 1_234_500_000n

export interface Answer {
  status: number
  headers: Headers
  text: string
}

interface Asked {
  token?: string
  body?: Readonly<Record<string, string | number>> | string
  headers?: Readonly<Record<string, string>>
}

/** The page's server over a database, with an admin, a viewer and a user, as a browser reaches it. */
export async function setUpPage({
  publicUrl,
  isClockReal = false,
  allowedUserIds = 'everybody',
  trustedProxies = [],
}: {
  publicUrl?: string
  isClockReal?: boolean
  allowedUserIds?: ReadonlySet<number> | 'everybody'
  trustedProxies?: readonly string[]
} = {}) {
  const url = await createTestDatabase()
  const databaseClock = await createTestClock(url)
  const database = openTestDatabase({ url })
  const { prisma } = database
  const clock = createManualClock()
  const log = pino({ level: 'silent' })
  const settings = {
    adminIds: new Set<number>(),
    viewerIds: new Set<number>(),
    allowedUserIds,
    timeZone: 'Europe/Moscow',
  }
  const access = createAccess(settings)
  const calendar = createCalendar(settings)
  const texts = createTexts()
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
  const { people } = createPeople(prisma, { ...settings, access, outbox, clock })
  const requests = new AccessRequests(people)
  await prisma.user.createMany({
    data: [
      { id: ADMIN, firstName: 'Ада', languageCode: 'en', role: 'admin' },
      { id: VIEWER, firstName: 'Victor', languageCode: 'en', role: 'viewer' },
      { id: ANNA, firstName: 'Anna', username: 'anna', languageCode: 'en' },
    ],
  })
  const adminPage = createAdminPage({
    access,
    decisions: createPageDecisions({
      ...people,
      requests,
      async showLater({ kind, userId }) {
        await (kind === 'role' ? showRole(people, userId) : requests.show(userId))
      },
    }),
    prisma,
    texts,
    settings,
    clock: isClockReal ? systemClock : clock,
    botToken: BOT_TOKEN,
    address: toPageAddress({ publicUrl, localRoot: 'http://127.0.0.1:3000' }),
    limits: new Limits({ prisma, calendar, adminIds: settings.adminIds }),
    storedSettings: new StoredSettings(prisma),
    reports: new Reports({ prisma, calendar }),
    balance: new ServiceBalance({ prisma, calendar, service }),
    sweep: { add: async () => {} },
  })
  const http = createHttpServer({ log, trustedProxies })
  await http.register(createPagePlugin({ publicUrl, page: adminPage.page }))
  const root = await http.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    http.server.closeAllConnections()
    await http.close()
    await database.close()
  })
  return {
    prisma,
    makeTicket: (purpose: TicketPurpose, userId: number) => makeTicket(prisma, purpose, { userId }),
    clock,
    databaseClock,
    service,
    settings,
    root,
    sentTexts,
    ask,
    initDataOf,
    signIn,
    setRole,
    changes,
  }

  async function ask(
    method: string,
    path: string,
    { token, body, ...init }: Asked = {},
  ): Promise<Answer> {
    const headers = new Headers({
      ...(method !== 'GET' && { origin: root }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...init.headers,
    })
    const fields = typeof body === 'string' ? body : body && toForm(body)
    const response = await fetch(`${root}/admin${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(fields !== undefined && { body: fields }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  async function initDataOf(userId: number, { ageS = 0, token = BOT_TOKEN } = {}): Promise<string> {
    const at = new Date((await readTime(prisma)).getTime() - ageS * 1000)
    return makeInitData({ id: userId, is_bot: false, first_name: 'Anna' }, { token, at })
  }

  async function setRole(userId: number, role: UserRole | null): Promise<void> {
    await prisma.user.update({ where: { id: userId }, data: { role } })
  }

  async function signIn(userId: number): Promise<string> {
    const { text } = await ask('POST', '/session', { body: { initData: await initDataOf(userId) } })
    return (JSON.parse(text) as { token: string }).token
  }

  /** The log of changes, the latest first, such as "limit_day 101: null → 7000000". */
  async function changes(): Promise<string[]> {
    const rows = await prisma.change.findMany({ orderBy: { id: 'desc' } })
    return rows.map(
      ({ what, subjectId, before, after }) => `${what} ${subjectId}: ${before} → ${after}`,
    )
  }
}

function toForm(fields: Readonly<Record<string, string | number>>): string {
  const entries = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return String(new URLSearchParams(entries))
}

/** What a reader sees of HTML: its texts, one line each. */
export function readText(html: string): string {
  return html
    .replaceAll(/<(?!\/?(?:span|strong|a|del|ins|em)\b)[^>]*>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()
}
