import { expect, test } from 'vitest'
import { BORIS, createBotSetup } from '../../../bot-setup.ts'
import { createPresser } from '../../../people/access/access-setup.ts'

test('/language changes what every text is written in, and back to Telegram’s', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  const { press } = createPresser(setup)
  const { playground } = setup

  playground.userSends({ userId: BORIS, text: '/language' })
  await playground.waitFor(() => setup.textsIn(BORIS).length === 1)
  expect(setup.textsIn(BORIS)[0]).toContain('На каком языке')
  expect(await press(BORIS, 'English')).toBe('I’ll speak English from now on.')
  playground.userSends({ userId: BORIS, text: '/usage' })
  await playground.waitFor(() => setup.textsIn(BORIS).length === 2)
  expect(setup.textsIn(BORIS)[1]).toContain('Your spend\nToday: ₽0.00')

  expect(await press(BORIS, 'As in Telegram')).toContain('по-русски')
  playground.userSends({ userId: BORIS, text: '/usage' })
  await playground.waitFor(() => setup.textsIn(BORIS).length === 3)
  expect(setup.textsIn(BORIS)[2]).toContain('Ваши расходы')
})
