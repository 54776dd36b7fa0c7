import { describe, expect, test } from 'vitest'
import { createDraftSetup, type DraftSetup } from './draft-setup.ts'

const ALWAYS = { times: Number.POSITIVE_INFINITY }
const GROUP = -5

const FOR_GOOD = [
  [403, 'Forbidden: bot was blocked by the user'],
  [403, 'Forbidden: user is deactivated'],
  [400, 'not enough rights to send text messages to the chat'],
  [400, 'have no write access to the chat'],
  [400, 'TOPIC_CLOSED'],
  [400, 'CHAT_WRITE_FORBIDDEN'],
] as const

function written({ playground }: DraftSetup): string[] {
  const writes = playground.calls.filter(({ method }) => /^(send|edit)/.test(method))
  return writes.map(({ method, status }) => `${method} ${status}`)
}

async function growOn(setup: DraftSetup, draft: { grow(text: string): void }) {
  for (const text of ['One **two**', 'One **two** three', 'One **two** three four']) {
    draft.grow(text)
    for (let second = 0; second < 5; second += 1) await setup.clock.run(1000)
  }
}

describe.each(FOR_GOOD)('a refusal for good: %i %s', (status, description) => {
  test('ends a reply with the interim edit that met it', async () => {
    const setup = await createDraftSetup()
    const draft = setup.begin()
    draft.grow('One')
    await setup.moveUntil(() => setup.textsIn()[0] === 'One')
    setup.playground.fault({ kind: 'refuse', status, description, ...ALWAYS })

    draft.grow('One **two**')
    await setup.moveUntil(() => written(setup).length === 2)
    await growOn(setup, draft)
    await expect(setup.finish(draft, 'One **two** three')).rejects.toMatchObject({
      code: 'chat_unreachable',
    })

    expect(written(setup)).toEqual(['sendRichMessage 200', `editMessageText ${status}`])
  })
})

test.each(['message thread not found', 'TOPIC_DELETED'])(
  'a reply to a topic that was deleted (%s) costs one refused send',
  async (description) => {
    const setup = await createDraftSetup()
    setup.playground.fault({
      kind: 'refuse',
      status: 400,
      description,
      ...ALWAYS,
      when: (params) => params.message_thread_id !== undefined,
    })
    const draft = setup.begin({ threadId: 3 })

    draft.grow('One')
    await setup.moveUntil(() => setup.textsIn()[0] === 'One')
    await setup.finish(draft, 'One **two**')

    expect(setup.textsIn()).toEqual(['One **two**'])
    expect(written(setup)).toEqual([
      ...['sendRichMessage 400', 'sendRichMessage 200'],
      'editMessageText 200',
    ])
  },
)

test('a chat that takes no rich messages is asked for a text, once', async () => {
  const setup = await createDraftSetup()
  setup.playground.addGroup({ id: GROUP, title: 'Group', members: [101] })
  setup.playground.fault({
    kind: 'refuseRich',
    description: 'not enough rights to send the rich message to the chat',
    ...ALWAYS,
  })
  const draft = setup.begin({ chatId: GROUP })

  draft.grow('One')
  await setup.moveUntil(() => setup.textsIn(GROUP)[0] === 'One')
  await setup.finish(draft, 'One **two**')

  expect(setup.textsIn(GROUP)).toEqual(['One two'])
  expect(written(setup)).toEqual([
    ...['sendRichMessage 400', 'sendMessage 200'],
    'editMessageText 200',
  ])
})

test('a refusal that nobody knows is met twice at most: as it was, and in plain words', async () => {
  const setup = await createDraftSetup()
  const description = 'SOMETHING_NEW'
  setup.playground.fault({ kind: 'refuse', status: 400, description, ...ALWAYS })
  const draft = setup.begin()

  draft.grow('One')
  await growOn(setup, draft)
  await expect(setup.finish(draft, 'One **two**')).rejects.toMatchObject({ code: 'call_refused' })

  expect(written(setup)).toEqual(['sendRichMessage 400', 'sendMessage 400'])
})
