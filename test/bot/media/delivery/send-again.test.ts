import { expect, test } from 'vitest'
import { json } from '../fake-service.ts'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

const GROUP = -601
const BROKEN = json(500, {})

async function createDelivered({ clips = 1 } = {}) {
  const setup = await createMediaSetup()
  const { playground, service, database, startProcess, command, waitForOrder } = setup
  playground.addGroup({ id: GROUP, title: 'Foxes', members: [USER_ID] })
  const { orders } = await startProcess()
  const given = command()
  service.succeeds(1, ...Array<string>(clips).fill(service.clipUrl))
  await orders.create(given)
  const { id } = await waitForOrder(given, ({ state }) => state === 'delivered')
  return { ...setup, again, setFiles, shownIn }

  function again() {
    return orders.sendAgain(id, { chatId: GROUP })
  }

  function setFiles(deliveredFiles: { type: string; fileId: string }[]) {
    return database.prisma.order.update({ where: { id }, data: { deliveredFiles } })
  }

  function shownIn(chatId: number) {
    return playground.transcript(chatId).flatMap(({ video }) => video ?? [])
  }
}

test.each([1, 3, 11])(
  '%i results are sent again as Telegram holds them, none is fetched',
  async (clips) => {
    const { service, charges, again, shownIn } = await createDelivered({ clips })
    const before = await charges()
    service.clipAnswers.push(BROKEN)

    await again()

    const uniqueIds = (chatId: number) => shownIn(chatId).map(({ uniqueId }) => uniqueId)
    expect(uniqueIds(GROUP)).toEqual(uniqueIds(USER_ID))
    expect(uniqueIds(GROUP)).toHaveLength(clips)
    expect(service.clipAnswers).toHaveLength(1)
    expect(await charges()).toEqual(before)
  },
)

test.each([
  ['never named a file id of', []],
  ['does not hold any more', [{ type: 'video', fileId: 'BAACAgAAAA' }]],
])('a result that Telegram %s is sent again from its link', async (_name, files) => {
  const { again, setFiles, shownIn, service } = await createDelivered()
  await setFiles(files)

  await again()

  expect(shownIn(GROUP)).toMatchObject([{ bytes: service.clip }])
})

test('a result that is nowhere any more is answered with a sentence', async () => {
  const { playground, again, setFiles, service } = await createDelivered()
  await setFiles([])
  service.clipAnswers.push(BROKEN)

  await again()

  expect(playground.transcript(GROUP)).toMatchObject([
    { text: expect.stringContaining('I can’t get this clip') },
  ])
})

test('what may have been sent again is not sent a third time', async () => {
  const { playground, again, shownIn } = await createDelivered()
  playground.fault({ kind: 'dropAfter', method: 'sendVideo' })

  await again()

  expect(shownIn(GROUP)).toHaveLength(1)
})
