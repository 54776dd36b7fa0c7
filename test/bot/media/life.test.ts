import { expect, test } from 'vitest'
import { gated, json } from './fake-service.ts'
import { createMediaSetup, type MediaSetup, USER_ID } from './media-setup.ts'

const PRICE = 40_000_000n
const TOO_MANY = json(429, { detail: 'Too many' }, { 'retry-after': '1' })
const DEADLINE = { deadlineMs: 1 }

type Order = Awaited<ReturnType<MediaSetup['waitForOrder']>>

/** Brings an order to a state. @returns What opens the gates that hold it there. */
const STATES: Record<string, (setup: MediaSetup, given: Asked) => Promise<(() => void)[]>> = {
  async waiting({ waitForOrder }, { create, given, blocker }) {
    await create(blocker)
    await waitForOrder(blocker, ({ state }) => state === 'generating')
    await create(given)
    await waitForOrder(given, isShown)
    return []
  },
  async 'placed, in the moment in which it can be cancelled'({ waitForOrder }, { create, given }) {
    await create(given)
    await waitForOrder(given, isShown)
    return []
  },
  async 'placed, before its message is sent'({ playground }, { create, given }) {
    const held = playground.fault({ kind: 'hold', method: 'sendMessage' })
    void create(given)
    await playground.waitFor(() => held.hits === 1)
    return [held.release]
  },
  async 'placed, in the queue'({ service, waitForOrder }, { create, given }) {
    service.decideCreations(() => TOO_MANY)
    await create(given)
    await expect.poll(() => service.creations.length).toBe(1)
    await waitForOrder(given, ({ state }) => state === 'placed')
    return []
  },
  async submitted({ service, waitForOrder }, { create, given }) {
    let open = () => {}
    service.creationAnswers.push((creation) => {
      const gate = gated(service.created(creation))
      open = gate.open
      return gate.answer
    })
    await create(given)
    await waitForOrder(given, ({ state }) => state === 'submitted')
    await expect.poll(() => service.creations.length).toBe(1)
    return [() => open()]
  },
  async generating({ waitForOrder }, { create, given }) {
    await create(given)
    await waitForOrder(given, ({ state }) => state === 'generating')
    return []
  },
}

/** The states that a service leads to, and the call to Telegram during which the process ends. */
const LATE_STATES: Record<string, string> = {
  'ready, while its result is announced': 'sendMessage',
  'ready, while its result is shown': 'editMessageMedia',
}

interface Asked {
  create: (order: Given) => Promise<unknown>
  given: Given
  blocker: Given
}
type Given = ReturnType<MediaSetup['command']>

interface Ending {
  prepare: (setup: MediaSetup, taskId: number) => unknown
  state: Order['state']
  sum: bigint
  words?: string
  /** The states after which it cannot happen. */
  notAfter?: RegExp
}

const ENDINGS: Record<string, Ending> = {
  'makes it': {
    prepare: ({ service }, taskId) => service.succeeds(taskId),
    state: 'delivered',
    sum: PRICE,
  },
  'fails to make it': {
    prepare: ({ service }, taskId) => service.fails(taskId, { code: 501, message: 'No foxes' }),
    state: 'failed',
    sum: 0n,
    words: 'No foxes',
  },
  'refuses it': {
    prepare: ({ service }) => service.decideCreations(() => json(422, { detail: [{ msg: 'No' }] })),
    state: 'failed',
    sum: 0n,
    words: 'This order isn’t accepted',
    notAfter: /generating|ready/,
  },
  'never ends it': {
    prepare: ({ rules }) => rules.set(DEADLINE, { adminId: 1 }),
    state: 'failed',
    sum: 0n,
    words: 'I stopped waiting',
  },
  'makes it, but serves a file of 0 bytes at first': {
    prepare: ({ service }, taskId) => {
      service.videoAnswers.push((response) => void response.writeHead(200).end())
      return service.succeeds(taskId)
    },
    state: 'delivered',
    sum: PRICE,
  },
  'makes a page of XML': {
    prepare: ({ service }, taskId) => {
      const headers = { 'content-type': 'video/mp4' }
      service.videoAnswers.push((response) => {
        response.writeHead(200, headers).end('<?xml version="1.0"?><Error/>')
      })
      return service.succeeds(taskId)
    },
    state: 'failed',
    sum: 0n,
    words: 'You don’t pay for it',
  },
}

const CASES = Object.keys(STATES).flatMap((state) =>
  Object.entries(ENDINGS).flatMap(([name, ending]) =>
    ending.notAfter?.test(state) ? [] : [{ state, name, ending }],
  ),
)

test.each(CASES)(
  'a process dies with an order that is $state; the service $name',
  async ({ state, ending }) => {
    const setup = await createMediaSetup({ parallelMax: 1 })
    setup.service.honoursKeys()
    const cancelMs = state.includes('cancelled') ? 3600_000 : 20
    const first = await setup.startProcess({ cancelMs })
    const [blocker, given] = [setup.command(), setup.command()]
    const create = (order: Given) => first.orders.create(order).catch(() => {})
    const gates = await STATES[state]?.(setup, { create, given, blocker })

    await first.crash()
    const isSecond = state === 'waiting'
    setup.service.decideCreations(setup.service.created)
    if (isSecond) setup.service.fails(1, { code: 500, message: '' })
    await ending.prepare(setup, isSecond ? 2 : 1)
    await setup.startProcess()

    const order = await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
    for (const open of gates ?? []) open()
    expect(order.state).toBe(ending.state)
    await expectSums(setup, order, ending.sum)
    const isDelivered = ending.state === 'delivered'
    expect(videos(setup)).toHaveLength(isDelivered ? 1 : 0)
    if (ending.words !== undefined) expect(texts(setup)).toContain(ending.words)
  },
)

test.each(Object.entries(LATE_STATES))(
  'a process dies with an order that is %s: it is delivered once',
  async (_state, method) => {
    const setup = await createMediaSetup()
    const first = await setup.startProcess()
    const given = setup.command()
    await first.orders.create(given)
    await setup.waitForOrder(given, ({ state }) => state === 'generating')
    const held = setup.playground.fault({ kind: 'holdAfter', method })
    setup.service.succeeds(1)
    await setup.playground.waitFor(() => held.hits === 1)

    await first.crash()
    await setup.startProcess()

    const order = await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
    held.release()
    expect(order.state).toBe('delivered')
    expect(videos(setup)).toHaveLength(1)
    await expectSums(setup, order, PRICE)
  },
)

test('a process dies before it has shown a failure: the next one shows it, and it is reversed once', async () => {
  const setup = await createMediaSetup()
  const given = setup.command()
  const first = await setup.startProcess()
  await first.orders.create(given)
  await expect.poll(() => texts(setup)).toContain('The video is being made.')
  const held = setup.playground.fault({ kind: 'hold', method: 'editMessageText' })
  setup.service.fails(1, { code: 500, message: '' })
  await setup.waitForOrder(given, ({ state }) => state === 'failed')

  await first.crash()
  await setup.startProcess()
  const order = await setup.waitForOrder(given, ({ endedAt }) => endedAt !== null)
  held.release()

  await expectSums(setup, order, 0n)
  expect(texts(setup)).toContain('The video couldn’t be made. You don’t pay for it')
})

async function expectSums({ database }: MediaSetup, { id }: Order, sum: bigint) {
  const { prisma } = database
  const charged = await prisma.charge.aggregate({
    where: { orderId: id },
    _sum: { amountMicroRub: true },
  })
  expect(charged._sum.amountMicroRub ?? 0n).toBe(sum)
  const { heldMicroRub } = await prisma.order.findUniqueOrThrow({ where: { id } })
  expect(heldMicroRub).toBeNull()
}

function videos({ playground }: MediaSetup) {
  return playground.transcript(USER_ID).filter(({ video }) => video !== undefined)
}

function texts({ playground }: MediaSetup): string {
  return playground
    .transcript(USER_ID)
    .map(({ text }) => text ?? '')
    .join('\n')
}

function isShown({ statusMessageId }: Order): boolean {
  return statusMessageId !== null
}
