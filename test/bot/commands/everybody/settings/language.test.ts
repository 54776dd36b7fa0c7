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

// Promise: `/model` or `/language` is given a word that names none, or several
test('/language takes a name, or a part of one, in either language; otherwise it shows the list', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  const { playground } = setup
  const answerTo = async (text: string) => {
    const count = setup.textsIn(BORIS).length
    playground.userSends({ userId: BORIS, text })
    await playground.waitFor(() => setup.textsIn(BORIS).length > count)
    return setup.textsIn(BORIS)[count]
  }

  for (const typed of ['en', 'English', 'англ']) {
    expect(await answerTo(`/language ${typed}`)).toContain('I’ll speak English')
  }
  for (const typed of ['RU', 'russian', 'Русский', 'telegram']) {
    expect(await answerTo(`/language ${typed}`)).toContain('по-русски')
  }
  for (const typed of ['deutsch', 'ий']) {
    expect(await answerTo(`/language ${typed}`)).toContain('На каком языке')
  }
})
