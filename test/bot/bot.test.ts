import { describe, expect, test } from 'vitest'
import { ANNA, BORIS, createHouse } from './house.ts'

describe('who and what is answered', () => {
  test('an outsider gets one sentence and no answer, an admin needs no place on the list', async () => {
    const house = await createHouse()
    await house.startBot({ allowedUserIds: new Set([1]), adminIds: new Set([BORIS]) })
    house.service.onCompletion((completion) => {
      completion.delta('Hello!')
      completion.finish()
    })

    house.playground.userSends({ userId: ANNA, text: 'Hello?' })
    house.playground.userSends({ userId: BORIS, text: 'Hello?' })
    await house.playground.waitFor(() => house.said(ANNA).length + house.said(BORIS).length === 2)

    expect(house.said(ANNA)).toEqual([expect.stringContaining('closed circle')])
    expect(house.said(BORIS)).toEqual(['Hello!'])
  })

  test('files, stickers and voices get a sentence', async () => {
    const house = await createHouse()
    await house.startBot()
    const file = { bytes: new Uint8Array([1]) }

    for (const content of [{ voice: file }, { sticker: file }, { document: file }]) {
      house.playground.userSends({ userId: ANNA, ...content })
    }
    await house.playground.waitFor(() => house.said(ANNA).length === 3)

    expect(new Set(house.said(ANNA)).size).toBe(1)
    expect(house.said(ANNA)[0]).toContain('only read text')
  })

  test('in a topic of a private chat the sentence stands in that topic', async () => {
    const house = await createHouse()
    await house.startBot()
    const threadId = house.playground.addTopic(ANNA, 'Drawings')

    house.playground.userSends({ userId: ANNA, threadId, voice: { bytes: new Uint8Array([1]) } })
    const said = await house.playground.waitFor((it) =>
      it.transcript(ANNA).find(({ from }) => from === 'bot'),
    )

    expect(said).toMatchObject({ text: expect.stringContaining('only read text'), threadId })
  })

  test('a command is answered by its own room, and a model chosen with its button answers', async () => {
    const house = await createHouse()
    await house.startBot()
    house.playground.userSends({ userId: ANNA, text: '/model' })
    const message = await house.playground.waitFor((it) =>
      it.transcript(ANNA).find(({ replyMarkup }) => replyMarkup !== undefined),
    )
    const buttons =
      message.replyMarkup && 'inline_keyboard' in message.replyMarkup
        ? message.replyMarkup.inline_keyboard.flat()
        : []
    const beta = buttons.find(({ text }) => text.includes('beta'))
    if (beta === undefined || !('callback_data' in beta)) throw new Error('No button for beta')

    const press = { userId: ANNA, messageId: message.id, data: beta.callback_data }
    const id = house.playground.presses(press)
    await house.playground.waitFor((it) => it.pressed(id)?.answer !== undefined)
    house.playground.userSends({ userId: ANNA, text: 'Hello?' })

    expect((await house.service.next()).request.model).toBe('beta')
  })
})

describe('start()', () => {
  test('waits for Telegram and publishes the commands', async () => {
    const house = await createHouse()
    house.playground.fault({ kind: '500', method: 'getMe' })
    house.playground.fault({ kind: 'dropBefore', method: 'deleteWebhook' })

    await house.startBot({ adminIds: new Set([ANNA]) })

    const scopes = house.playground.commands().map(({ scope }) => scope.type)
    expect(new Set(scopes)).toEqual(
      new Set(['default', 'all_private_chats', 'all_group_chats', 'chat']),
    )
  })

  test('ends with a clear error when Telegram does not know the token', async () => {
    const house = await createHouse()
    house.playground.fault({ kind: 'unauthorized', method: 'getMe' })

    await expect(house.startBot()).rejects.toThrow('refuses BOT_TOKEN')
  })

  test('the bot fails when its token is revoked while it runs', async () => {
    const house = await createHouse()
    const bot = await house.startBot()
    house.playground.fault({ kind: 'unauthorized', method: 'getUpdates' })
    house.playground.userSends({ userId: ANNA, text: '/help' })

    await expect(bot.whenFailed).rejects.toThrow('refuses BOT_TOKEN')
  })

  test('says so when there is no service to ask for models', async () => {
    const house = await createHouse()
    await house.service.close()
    await house.startBot()

    house.playground.userSends({ userId: ANNA, text: 'Hello?' })
    await house.playground.waitFor(() => house.said(ANNA).length === 1)

    expect(house.said(ANNA)).toEqual([expect.stringContaining('does not answer right now')])
  })
})
