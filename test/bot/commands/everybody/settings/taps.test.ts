import { expect, test } from 'vitest'
import { createManualClock } from '../../../../platform/time/manual-clock.ts'
import { ANNA, createBotSetup } from '../../../bot-setup.ts'
import { carelessCalls } from '../../../careless-calls.ts'

test.each([
  ['each of which changes something', 'plain rich plain rich plain rich plain auto'],
  ['some of which choose what is chosen already', 'auto plain plain rich plain plain rich auto'],
])(
  'eight taps at 0.3 s on the buttons of one message, %s, are answered at once, cost five edits at most and bring no lint',
  async (_which, taps) => {
    const clock = createManualClock()
    const { playground, startBot, passTime } = await createBotSetup({ clock })
    await startBot()
    playground.userSends({ userId: ANNA, text: '/format' })
    const { id: messageId } = await playground.waitFor((it) => it.transcript(ANNA).at(1))
    await passTime(5000)

    for (const value of taps.split(' ')) {
      const id = playground.presses({ userId: ANNA, messageId, data: `format:${value}` })
      await playground.waitFor((it) => it.pressed(id)?.answer)
      await passTime(300)
    }
    const buttons = () => JSON.stringify(playground.transcript(ANNA).at(1)?.replyMarkup)
    await expect
      .poll(async () => {
        await passTime(100)
        return buttons()
      })
      .toContain('✓ Auto')

    const edits = playground.calls.filter(({ method }) => method === 'editMessageText')
    expect(edits.length).toBeLessThanOrEqual(5)
    expect(carelessCalls(playground)).toEqual([])
  },
)
