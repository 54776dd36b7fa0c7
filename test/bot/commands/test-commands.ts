import { pino } from 'pino'
import {
  createMenuButtons,
  createSignInLinks,
  toPageAddress,
} from '../../../src/bot/admin/page/links.ts'
import { dispatchCommands } from '../../../src/bot/commands/dispatch.ts'
import { COMMANDS, type CommandsApp } from '../../../src/bot/commands/list.ts'
import { createEraseUser, type EraseUserDeps } from '../../../src/bot/conversations/erase-user.ts'
import { createAgainButtons } from '../../../src/bot/media/again.ts'
import { type CardInputApp, listenToCards } from '../../../src/bot/media/card-input.ts'
import type { Pictures } from '../../../src/bot/media/pictures.ts'
import { createMediaPrices } from '../../../src/bot/media/prices.ts'
import { createModels } from '../../../src/bot/models.ts'
import type { createAccess } from '../../../src/bot/people/access.ts'
import { AccessRequests } from '../../../src/bot/people/access-requests.ts'
import { createSpend } from '../../../src/bot/spend/spend.ts'
import { StoredSettings } from '../../../src/bot/stored-settings.ts'
import type { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createRichSupport } from '../../../src/bot/telegram/formatting.ts'
import { createOutbox } from '../../../src/bot/telegram/send.ts'
import { createNotifyPress } from '../../../src/bot/telegram/shortcuts.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import type { createServiceClient } from '../../../src/contract/client/service-client.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { TestDatabase } from '../../platform/database/open-test-database.ts'
import { createFastClock } from '../../platform/time/fast-clock.ts'
import { createPeople } from '../people/create-people.ts'

export const ADMIN = 1
export const VIEWER = 2
export const ADMITTANCE = {
  adminIds: new Set([ADMIN]),
  viewerIds: new Set([VIEWER]),
  allowedUserIds: 'everybody' as const,
}

const FACTS = { updateId: 1, isFirst: true, isLate: false, parts: [] }

/** The parts that a test of commands chooses or watches; everything else is real. */
export interface TestCommandsDeps {
  database: TestDatabase
  api: ReturnType<typeof createTelegramApi>
  service: ReturnType<typeof createServiceClient>
  access: ReturnType<typeof createAccess>
  prices: ReadonlyMap<string, bigint>
  reportedPrices: ReadonlyMap<string, bigint> | undefined
  publicUrl: string | undefined
  stopTurn: CommandsApp['replies']['stop'] & EraseUserDeps['replies']['stop']
  pictures: Pick<Pictures, 'offer' | 'offerAgain'>
  orders: CardInputApp['orders']
  sendAgain: CommandsApp['orders']['sendAgain']
  onBlocked(userId: number): Promise<void>
  now(): Promise<Date>
  spendsOwnMoney: boolean
  picture: Uint8Array | undefined
}

/** Every command, on a real database, Telegram's client and the service's. */
export function createTestCommands({
  database,
  api,
  service,
  access,
  prices,
  reportedPrices,
  publicUrl,
  stopTurn,
  pictures,
  orders,
  sendAgain,
  onBlocked,
  now,
  spendsOwnMoney,
  picture,
}: TestCommandsDeps) {
  // At Telegram's real pace the tests of commands would mostly wait.
  const outbox = createOutbox({ api, clock: createFastClock(100) })
  const log = pino({ level: 'silent' })
  const offered = createModels({ service, defaultModel: undefined, clock: systemClock, log })
  const page = toPageAddress({ publicUrl, localRoot: 'http://127.0.0.1:3000' })
  const mediaRules = new StoredSettings(database.prisma)
  const settings = { ...ADMITTANCE, timeZone: 'Europe/Moscow' }
  const spend = createSpend({
    prisma: database.prisma,
    service,
    outbox,
    notifyPress: createNotifyPress({ outbox, texts: createTexts() }),
    texts: createTexts(),
    settings: { ...settings, spendsOwnMoney },
    log,
  })
  const mediaPrices = createMediaPrices({
    service: { prices: async () => reportedPrices },
    configuredMicroRub: prices,
    clock: systemClock,
    log,
  })
  const cards = listenToCards({
    prisma: database.prisma,
    orders,
    pictures,
    prices: mediaPrices,
    storedSettings: mediaRules,
    outbox,
    limitTexts: spend.limitTexts,
    texts: createTexts(),
    log,
    // A message may have been handled before.
    factsOf: () => ({ isFirst: false, parts: [] }),
  })
  const { people } = createPeople(database.prisma, {
    ...ADMITTANCE,
    access,
    outbox,
    onBlocked,
    log,
  })
  const commands = dispatchCommands(COMMANDS, {
    ...spend,
    signInLinks: createSignInLinks({ address: page, prisma: database.prisma }),
    menus: createMenuButtons({ api: api.calls, texts: createTexts(), page }),
    models: offered,
    richSupport: createRichSupport(systemClock),
    replies: {
      stop: stopTurn,
      findRunning: async () => undefined,
      retry: async () => 'nothing',
      replyOnce: async () => false,
    },
    answerTurn: async (_ctx, _thread, run) => void (await run(FACTS)),
    orders: { ...orders, cancel: async () => 'gone', sendAgain },
    pictures,
    againButtons: createAgainButtons({ prices: mediaPrices, texts: createTexts() }),
    prices: mediaPrices,
    spendPictures: { ofUser: async () => picture, ofAll: async () => picture },
    storedSettings: mediaRules,
    ...people,
    requests: new AccessRequests(people),
    commands: COMMANDS,
    systemPrompt: undefined,
    timeZone: settings.timeZone,
    texts: createTexts(),
    log,
    eraseUser: createEraseUser({
      prisma: database.prisma,
      replies: { stop: stopTurn },
      calendar: spend.calendar,
      clock: systemClock,
    }),
    now,
  })
  return { commands, offered, mediaRules, mediaPrices, cards }
}
