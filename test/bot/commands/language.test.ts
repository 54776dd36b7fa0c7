import { expect, test } from 'vitest'
import { createPresser } from '../access/stage.ts'
import { BORIS, createHouse } from '../house.ts'

test('/language changes what every text is written in, and back to Telegram’s', async () => {
  const house = await createHouse()
  await house.startBot()
  const { press } = createPresser(house)
  const { playground } = house

  playground.userSends({ userId: BORIS, text: '/language' })
  await playground.waitFor(() => house.said(BORIS).length === 1)
  expect(house.said(BORIS)[0]).toContain('На каком языке')
  expect(await press(BORIS, 'English')).toBe('From now on I speak English to you.')
  playground.userSends({ userId: BORIS, text: '/usage' })
  await playground.waitFor(() => house.said(BORIS).length === 2)
  expect(house.said(BORIS)[1]).toContain('You have spent\ntoday: ₽0.00')

  expect(await press(BORIS, 'Как в Telegram')).toContain('по-русски')
  playground.userSends({ userId: BORIS, text: '/usage' })
  await playground.waitFor(() => house.said(BORIS).length === 3)
  expect(house.said(BORIS)[2]).toContain('Вы потратили')
})
