import type { Order } from '../../../src/bot/media/order/order-store.ts'

/** An order of a fox clip for ₽40 that the bot has told of, changed as a test needs it. */
export function orderOf(facts: Partial<Order> = {}): Order {
  return {
    id: 7n,
    userId: 501n,
    chatId: 501n,
    threadId: 0,
    kind: 'video',
    originKey: 'message 1 49',
    replyToMessageId: 49,
    statusMessageId: 50,
    resultMessageId: null,
    params: { prompt: 'a fox', duration: 5, quality: '720p', aspect_ratio: '1280:720' },
    label: 'vidgen-720p-5s',
    priceMicroRub: 40_000_000n,
    priceEstimated: false,
    generatingAt: null,
    statusDueAt: null,
    idempotencyKey: '00000000-0000-4000-8000-000000000000',
    state: 'placed',
    taskId: null,
    resultUrls: [],
    deliveredFiles: [],
    errorCode: null,
    errorMessage: null,
    dueAt: new Date(),
    failedVisits: 0,
    leaseOwner: 1,
    createdAt: new Date(),
    ageMs: () => 0,
    madeForMs: undefined,
    isStatusDue: false,
    endedAt: null,
    user: { language: null, languageCode: 'en' },
    ...facts,
  }
}
