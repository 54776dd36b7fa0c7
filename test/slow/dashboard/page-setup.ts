import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { createTexts, type TextVariables } from '../../../src/bot/texts/texts.ts'
import type { ChargeKind } from '../../../src/platform/database/generated/enums.ts'
import { ADMIN, setUpPage } from '../../bot/admin/page/page-setup.ts'
import { addCharge } from '../../bot/spend/add-charge.ts'
import {
  CHROMIUM,
  expectNoFaults,
  type Look,
  launchBrowser,
  openWindow,
  PHONE,
  type WindowOptions,
  waitForView,
} from './browser.ts'

const DAY_MS = 86_400_000
const ALLOWED = new Set([101, 102, 106, 107, 108, 109, 110])

const NAMES = [
  ['Анна Каренина', 'anna_k'],
  ['Bob Dylan', 'bob'],
  ['Сергей Прокофьев', null],
  ['Grace Hopper', 'amazing_grace'],
  ['Мария Склодовская-Кюри', 'polonium'],
  ['Ludwig van Beethoven', null],
  ['', null],
  ['Вера Холодная', 'vera'],
] as const

const ITEMS: readonly (readonly [item: string, kind: ChargeKind, share: bigint])[] = [
  ['alpha-large', 'answer', 41n],
  ['vidgen-720p-10s', 'video', 26n],
  ['beta-mini', 'answer', 14n],
  ['alpha-large', 'retry', 6n],
  ['imagegen', 'image', 5n],
  ['vidgen-1080p-5s', 'video', 5n],
  ['gamma-reasoner-preview', 'summary', 2n],
  ['soundgen', 'sound', 1n],
]

let browser: Browser

/** Tests in a browser. A machine without one says so, and skips them. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (CHROMIUM === undefined) {
    process.stderr.write(
      'No Chromium: apt-get install chromium-headless-shell, or set CHROMIUM_PATH.\n',
    )
  }
  describe.skipIf(CHROMIUM === undefined)(name, () => {
    beforeAll(async () => {
      browser = await launchBrowser()
    })
    afterAll(() => browser.close())
    tests()
  })
}

/** A window on a server, which ends with the test; the test fails of what went wrong in it. */
export async function openWindowOn(root: string, look: Look = PHONE, options?: WindowOptions) {
  const window = await openWindow(browser, root, look, options)
  expectNoFaults(window.faults)
  onTestFinished(() => window.context.close())
  return window
}

/** The page of a bot with users and spend, a window on it, and its texts. All end with the test. */
export async function openPage(look: Look = PHONE) {
  const server = await setUpPage({ isClockReal: true, allowedUserIds: ALLOWED })
  const language = look.locale === 'ru-RU' ? 'ru' : 'en'
  await server.prisma.user.updateMany({ data: { languageCode: language } })
  await fill(server)
  const texts = createTexts()
  const { context, page, faults } = await openWindowOn(server.root, look)
  const t = (key: string, variables?: TextVariables) => texts.t(language, key, variables)
  return { ...server, context, page, faults, t, show, openLinkOf }

  async function show(hash: string): Promise<void> {
    await page.goto(`${server.root}/admin/${hash}`)
    await waitForView(page)
  }

  async function openLinkOf(userId: number): Promise<void> {
    await show(`#link=${await server.makeTicket('sign_in', userId)}`)
  }
}

/** The same with a user who is signed in by a link. */
export async function openSignedIn({ look = PHONE, userId = ADMIN, hash = '' } = {}) {
  const opened = await openPage(look)
  await opened.openLinkOf(userId)
  if (hash !== '') await opened.show(hash)
  return opened
}

/** Users 101 to 124, of whom the first spent most, in 30 days; limits, requests, roles and orders. */
async function fill({ prisma }: Pick<Awaited<ReturnType<typeof setUpPage>>, 'prisma'>) {
  const users = Array.from({ length: 24 }, (_, index) => {
    const [name, username] = NAMES[index % NAMES.length] ?? ['', null]
    const round = Math.floor(index / NAMES.length) + 1
    const isAgain = round > 1
    return {
      id: 101 + index,
      firstName: isAgain && name !== '' ? `${name} ${round}` : name,
      username: isAgain && username !== null ? `${username}${round}` : username,
    }
  })
  await prisma.user.deleteMany({ where: { id: { gte: 101 } } })
  await prisma.user.createMany({ data: users })
  await prisma.user.update({ where: { id: 103 }, data: { admission: 'requested' } })
  await prisma.user.update({ where: { id: 104 }, data: { role: 'viewer' } })
  await prisma.user.update({ where: { id: 105 }, data: { admission: 'blocked' } })
  const limit = { setById: ADMIN, setAt: new Date(Date.now() - DAY_MS) }
  await prisma.spendLimit.createMany({
    data: [
      { ...limit, subjectId: 0, period: 'month', amountMicroRub: 1_000_000_000n },
      { ...limit, subjectId: -2, period: 'month', amountMicroRub: 3_000_000_000n },
      { ...limit, subjectId: 101, period: 'day', amountMicroRub: 25_000_000n },
      { ...limit, subjectId: -1001234, period: 'month', amountMicroRub: null },
    ],
  })
  await prisma.change.createMany({
    data: Array.from({ length: 60 }, (_, index) => ({
      adminId: ADMIN,
      what: ['limit_day', 'role', 'access', 'setting:alert_days_left_below'][index % 4] ?? '',
      subjectId: index % 4 === 3 ? null : 101 + (index % 24),
      before: ['50000000', null, 'requested', 'off'][index % 4] ?? null,
      after: ['none', 'viewer', 'allowed', '3'][index % 4] ?? null,
    })),
  })
  for (const [index, { id }] of users.entries()) {
    const days = index === 0 ? 30 : 1
    for (let day = 0; day < days; day += 1) {
      if (day % 7 === 5) continue
      const weight = 431_234_567n + BigInt((day * 37) % 61) * 5_000_000n
      const [item, kind, share] = ITEMS[(day + index) % ITEMS.length] ?? ['', 'answer', 1n]
      const amountMicroRub = (weight * (share + 10n)) / BigInt(70 * (index + 1) ** 2)
      const at = new Date(Date.now() - day * DAY_MS)
      await addCharge(prisma, { userId: id, amountMicroRub, item, kind, at, estimated: day === 3 })
    }
  }
}
