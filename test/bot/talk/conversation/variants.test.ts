import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { press } from '../reply/buttons.ts'
import { ended } from '../turns/ended.ts'

interface ExportedMessage {
  role: string
  content: string
  variant?: number
  set_aside: boolean
}

test('answers made again are variants below one question, which counts as long as one of them does', async () => {
  const setup = await startAsked()
  setup.playground.userSends({ userId: ANNA, text: '/retry' })
  ;(await setup.service.next()).refuse(502)
  await ended(setup, 2)
  await press(setup, 'Retry')
  ;(await setup.service.next()).answer('Two')
  await ended(setup, 3)

  expect(await exported(setup)).toEqual([
    { role: 'user', content: 'Hello?', set_aside: false },
    { role: 'assistant', content: 'One', variant: 1, set_aside: true },
    { role: 'assistant', content: 'Two', variant: 2, set_aside: false },
  ])
})

async function startAsked(): Promise<BotSetup> {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  ;(await setup.service.next()).answer('One')
  await ended(setup)
  return setup
}

async function exported({ playground }: BotSetup): Promise<ExportedMessage[]> {
  playground.userSends({ userId: ANNA, text: '/export json' })
  const bytes = await playground.waitFor((it) => it.transcript(ANNA).at(-1)?.document?.bytes)
  const { messages } = JSON.parse(bytes.toString()) as { messages: ExportedMessage[] }
  return messages.map(({ role, content, variant, set_aside }) => ({
    role,
    content,
    ...(variant !== undefined && { variant }),
    set_aside,
  }))
}
