import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import { LeaseLostError } from '../../../platform/database/instance/instance.ts'
import { readTime } from '../../../platform/database/prisma.ts'
import { type Age, type Clock, growAge, systemClock } from '../../../platform/time/clock.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { recordOrderCharge, takeBackOrderCharge } from '../../spend/charges.ts'
import type { Limits } from '../../spend/limits.ts'
import { type DeliveredFiles, deliveredFilesOf } from './delivered-files.ts'
import { insertOrder, type NewOrder, type PlacedDraft, placeOrder } from './insert-order.ts'
import type { OrderFailure } from './order-failure.ts'
import { makeRoom, mayRun } from './parallel-orders.ts'
import type { MediaRules } from './rules.ts'

const WITH_LANGUAGE = { user: { select: { language: true, languageCode: true } } } as const

/** An order with its user's language, and its age by the database's clock. */
export type Order = Prisma.OrderGetPayload<{ include: typeof WITH_LANGUAGE }> & {
  ageMs: Age
  madeForMs: Age | undefined
  isStatusDue: boolean
  /** In how many milliseconds it may go to the service; null before its user could read it and cancel. */
  leavesInMs: number | null
}

/** A task as the service took it. */
export interface CreatedTask {
  taskId: number
  expectsCallback: boolean
}

/**
 * The orders in the database.
 *
 * Every change is made by the lease owner alone and from the state that it knows, so that a process
 * which was taken for dead changes nothing any more. It gives back the order as it stands after it.
 */
export function createOrderStore({
  prisma,
  rules,
  instanceId,
  calendar,
  limits,
  clock = systemClock,
}: {
  prisma: PrismaClient
  rules: Pick<MediaRules, 'read'>
  instanceId: number
  calendar: Calendar
  limits: Pick<Limits, 'reserve'>
  clock?: Pick<Clock, 'now'>
}) {
  return {
    insert: (order: NewOrder) => insertOrder({ prisma, rules, limits }, order),
    place: async (tx: Prisma.TransactionClient, draft: PlacedDraft) => {
      const { parallelMax } = await rules.read()
      await placeOrder(tx, draft, { parallelMax, limits })
    },
    read,
    admit,
    setSubmitted,
    backToQueue: (order: Order) => change(order, { state: 'placed' }),
    setStatusMessage,
    setResultMessage: (order: Order, resultMessageId: number) => change(order, { resultMessageId }),
    forgetMessage,
    setGenerating,
    setStatusDue,
    setReady,
    fail,
    setSending,
    addDelivered: (order: Order, files: DeliveredFiles) =>
      change(order, {
        deliveredFiles: [...deliveredFilesOf(order), ...files],
        sendingSince: null,
      }),
    putOff: (order: Order) => change(order, { failedDeliveries: order.failedDeliveries + 1 }),
    park,
    setDelivered: (order: Order, deliveredFiles: DeliveredFiles) =>
      change(order, { state: 'delivered', deliveredFiles, parkedAt: null, ...ended() }),
    end: (order: Order) => change(order, ended()),
  }

  async function read(id: bigint): Promise<Order | undefined> {
    const order = await prisma.order.findUnique({ where: { id }, include: WITH_LANGUAGE })
    const [times] = await prisma.$queryRaw<
      { ageMs: number; madeForMs: number | null; isStatusDue: boolean; leavesInMs: number | null }[]
    >`
      SELECT extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs",
        extract(epoch FROM now() - generating_at)::float8 * 1000 AS "madeForMs",
        coalesce(status_due_at <= now(), false) AS "isStatusDue",
        extract(epoch FROM leaves_at - now())::float8 * 1000 AS "leavesInMs"
      FROM bot."order" WHERE id = ${id}`
    if (order === null || times === undefined) return undefined
    const madeForMs = times.madeForMs === null ? undefined : growAge(times.madeForMs, clock)
    const ageMs = growAge(times.ageMs, clock)
    const { isStatusDue, leavesInMs } = times
    return { ...order, ageMs, madeForMs, isStatusDue, leavesInMs }
  }

  /**
   * Records the message that shows an order's status, also where its user cancelled it while it was sent, and from
   * when on the order may go to the service.
   *
   * @param statusMessageId 0 where it is not known whether the message was sent.
   */
  async function setStatusMessage(
    order: Order,
    { statusMessageId, leavesInMs }: { statusMessageId: number; leavesInMs: number },
  ): Promise<Order> {
    const count = await prisma.$executeRaw`
      UPDATE bot."order" SET status_message_id = ${statusMessageId},
        leaves_at = now() + ${leavesInMs}::float8 * interval '1 ms'
      WHERE id = ${order.id} AND lease_owner = ${instanceId} AND ended_at IS NULL`
    if (count !== 1) throw new LeaseLostError(instanceId)
    return { ...order, statusMessageId, leavesInMs }
  }

  async function setSubmitted(order: Order): Promise<Order> {
    return change(order, { state: 'submitted', submittedAt: await readTime(prisma) })
  }

  function forgetMessage(order: Order, messageId: number): Promise<Order> {
    const { statusMessageId, resultMessageId } = order
    return change(order, {
      statusMessageId: statusMessageId === messageId ? 0 : statusMessageId,
      resultMessageId: resultMessageId === messageId ? null : resultMessageId,
    })
  }

  async function admit(order: Order): Promise<Order | undefined> {
    const { parallelMax } = await rules.read()
    return prisma.$transaction(async (tx) => {
      const isFree = await mayRun(tx, order, parallelMax)
      return isFree ? change(order, { state: 'placed' }, tx) : undefined
    })
  }

  function setReady(order: Order, resultUrls: string[]): Promise<Order> {
    return prisma.$transaction((tx) =>
      makeRoom(tx, order.userId, async () => {
        const dueAt = await readTime(tx)
        return change(order, { state: 'ready', resultUrls, dueAt }, tx)
      }),
    )
  }

  /** The service took the order: its task and its charge are stored together. */
  function setGenerating(
    order: Order,
    { taskId, expectsCallback, statusInMs }: CreatedTask & { statusInMs: number },
  ): Promise<Order> {
    return prisma.$transaction(async (tx) => {
      const generatingAt = await readTime(tx)
      const statusDueAt = new Date(generatingAt.getTime() + statusInMs)
      const changed = await change(
        order,
        { state: 'generating', taskId, expectsCallback, generatingAt, statusDueAt },
        tx,
      )
      await charge(tx, order, { estimated: false })
      return { ...changed, madeForMs: growAge(0, clock) }
    })
  }

  async function setStatusDue({ id }: Order, inMs: number | null): Promise<void> {
    await prisma.$executeRaw`
      UPDATE bot."order" SET status_due_at = now() + ${inMs}::float8 * interval '1 ms'
      WHERE id = ${id} AND lease_owner = ${instanceId} AND state = 'generating'`
  }

  async function setSending(order: Order, isSending: boolean): Promise<void> {
    await change(order, { sendingSince: isSending ? await readTime(prisma) : null })
  }

  async function park(order: Order): Promise<Order> {
    return change(order, { parkedAt: order.parkedAt ?? (await readTime(prisma)) })
  }

  /**
   * Ends an order without a clip. The same transaction decides about the charge. Where its user is
   * to be notified it is due for any process.
   */
  function fail(order: Order, { code, message, money, isEnd }: OrderFailure): Promise<Order> {
    const why = {
      state: 'failed',
      errorCode: code,
      errorMessage: message ?? null,
      heldMicroRub: null,
    } as const
    return prisma.$transaction(async (tx) => {
      const end = async () => {
        const next = isEnd ? ended() : { dueAt: await readTime(tx) }
        return change(order, { ...why, ...next }, tx)
      }
      const failed = await makeRoom(tx, order.userId, end)
      if (money === 'estimated') await charge(tx, order, { estimated: true })
      if (money === 'reversal' || money === 'write_off') {
        await takeBackOrderCharge(tx, order.id, money, calendar)
      }
      return failed
    })
  }

  async function change(
    order: Order,
    data: Partial<Order>,
    tx: Prisma.TransactionClient = prisma,
  ): Promise<Order> {
    const { id, state } = order
    const where = { id, state, leaseOwner: instanceId, endedAt: null }
    const { resultUrls, ...changes } = data
    const { count } = await tx.order.updateMany({
      where,
      data: {
        ...(changes as Prisma.OrderUpdateManyMutationInput),
        // Without `set` Prisma would make a plan for each list, and keep it.
        ...(resultUrls !== undefined && { resultUrls: { set: resultUrls } }),
      },
    })
    if (count !== 1) throw new LeaseLostError(instanceId)
    return { ...order, ...data }
  }

  /** An order without a price is not charged. */
  async function charge(
    tx: Prisma.TransactionClient,
    { id: orderId, priceMicroRub: amountMicroRub }: Order,
    { estimated }: { estimated: boolean },
  ): Promise<void> {
    if (amountMicroRub === null) return
    await recordOrderCharge(tx, { orderId, amountMicroRub, estimated }, calendar)
  }
}

export type OrderStore = ReturnType<typeof createOrderStore>

function ended() {
  return { endedAt: new Date(), dueAt: null }
}
