import { expect, test } from 'vitest'
import { SendOutcomeUnknownError } from '../../../../src/bot/telegram/errors.ts'
import { ANNA, createOutboxSetup } from './outbox-setup.ts'

async function createSentStage() {
  const setup = await createOutboxSetup()
  const target = await setup.outbox.send({ chatId: ANNA, text: 'first' })
  return { ...setup, target, statuses }

  function statuses(method: string) {
    return setup.callsOf(method).map(({ status }) => status)
  }
}

test.each(['dropBefore', 'dropAfter', '500', 'html', 'restart'] as const)(
  'a final edit that met %s is made again; a send is not',
  async (kind) => {
    const { outbox, playground, clock, target, statuses } = await createSentStage()
    playground.fault({ kind, method: 'editMessageText' })
    playground.fault({ kind, method: 'sendMessage' })

    const editing = outbox.edit(target, 'whole')
    await clock.untilAsleep()
    clock.advance(1000)

    expect(await editing).toBe('shown')
    const sending = outbox.send({ chatId: ANNA, text: 'second' })
    await expect(sending).rejects.toBeInstanceOf(SendOutcomeUnknownError)
    expect(statuses('sendMessage')).toHaveLength(2)
    expect(playground.transcript(ANNA)[0]?.text).toBe('whole')
  },
)
