import { expect, test } from 'vitest'
import { ANNA, createBotSetup } from '../bot-setup.ts'
import { ended, turns, until } from './ended.ts'

const LONG = Array.from({ length: 12 }, (_, index) => `Part ${index}: ${'word '.repeat(100)}`)

test.each([
  ['in the message that began it', ['Half an answer', ' and the rest.']],
  ['in further messages', ['Half an answer\n\n', LONG.join('\n\n')]],
])(
  'a paid answer that a closed topic cut off is completed %s once it is used again',
  async (_where, [half = '', rest = '']) => {
    const setup = await createBotSetup()
    await setup.startBot()
    setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
    const completion = await setup.service.next()
    completion.delta(half)
    await setup.playground.waitFor(() => setup.textsIn(ANNA)[0] === half.trim())
    const closed = setup.playground.fault({
      kind: 'refuse',
      status: 400,
      description: 'Bad Request: TOPIC_CLOSED',
      times: Number.POSITIVE_INFINITY,
    })
    completion.answer(rest)
    await ended(setup)
    expect(setup.textsIn(ANNA)).toEqual([half.trim()])
    closed.end()

    setup.playground.userSends({ userId: ANNA, text: 'And now?' })
    const next = await setup.service.next()
    const whole = () => setup.textsIn(ANNA).join(' ').replaceAll(/\s+/g, ' ')
    await setup.playground.waitFor(
      () => whole() === `${half}${rest}`.replaceAll(/\s+/g, ' ').trim(),
    )
    next.answer('Yes.')
    await ended(setup, 2)
    await until(async () => (await turns(setup)).every(({ sendingSince }) => sendingSince === null))

    setup.playground.userSends({ userId: ANNA, text: 'Sure?' })
    const last = await setup.service.next()
    last.answer('Sure.')
    await ended(setup, 3)
    expect(setup.textsIn(ANNA).slice(-2)).toEqual(['Yes.', 'Sure.'])
    expect(setup.textsIn(ANNA).join()).not.toContain('connection broke')
  },
)
