import { onTestFinished } from 'vitest'
import { createOrderStore } from '../../../../src/bot/media/order/order-store.ts'
import { createMediaRules } from '../../../../src/bot/media/order/rules.ts'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { limitsInUtc } from '../../spend/limits-setup.ts'

const OURS = 7

/** An order of this process, which has the lease. */
export async function storeOrder() {
  const url = await createTestDatabase()
  const { prisma, close } = openTestDatabase({ url })
  onTestFinished(close)
  const store = createOrderStore({
    prisma,
    rules: createMediaRules(prisma),
    instanceId: OURS,
    calendar: createCalendar({ timeZone: 'UTC' }),
    limits: limitsInUtc(prisma),
  })
  await store.insert(ORDER)
  await prisma.order.updateMany({ data: { leaseOwner: OURS } })
  const { id } = await prisma.order.findFirstOrThrow()
  const order = await store.read(id)
  if (order === undefined) throw new Error('The order was not stored')
  return { prisma, store, order }
}

export const ORDER = {
  user: { id: 501, firstName: 'Anna', languageCode: 'en' },
  chatId: 501,
  threadId: 0,
  originKey: 'message 501 7',
  replyToMessageId: 7,
  media: {
    kind: 'video',
    request: { prompt: 'a fox', duration: 5, quality: '720p', aspect_ratio: '1280:720' },
  },
  label: 'vidgen-720p-5s',
  priceMicroRub: 40_000_000n,
} as const
