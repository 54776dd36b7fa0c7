import { expect, test } from 'vitest'
import { PHONE } from '../dashboard/browser.ts'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { ANN, openChat } from './messages-setup.ts'

describeInBrowser('what is done with messages of the playground’s page', () => {
  test('a button turns until the bot has answered, and is not pressed twice meanwhile', async () => {
    const { api, playground, say, see } = await openChat()
    await say('Choose', {
      reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] },
    })
    const { page } = await see()
    const button = page.getByRole('button', { name: 'Go', exact: true })

    await button.click()
    await button.and(page.locator('[aria-busy="true"]')).waitFor()
    await button.click()
    const updates = await api.getUpdates()
    const queries = updates.flatMap(({ callback_query: query }) => query ?? [])
    expect(queries.map(({ data }) => data)).toEqual(['go'])

    await api.answerCallbackQuery(queries[0]?.id ?? '', { text: 'Gone' })
    await button.and(page.locator('[aria-busy="false"]')).waitFor()
    await page.getByText('Gone').waitFor()
    expect(playground.pressed(queries[0]?.id ?? '')).toBeDefined()
  })

  test('the keyboard alone moves through messages and deletes', async () => {
    const { playground, say, see } = await openChat()
    const first = await say('The first')
    await say('The second')
    const { page, bubble } = await see()
    await page.getByRole('article', { name: /./ }).last().focus()

    await page.keyboard.press('ArrowUp')
    await expect.poll(() => bubble(first).evaluate((it) => it.matches(':focus'))).toBe(true)
    await bubble(first).press('Enter')
    await page.getByRole('menuitem', { name: 'Reply' }).press('Escape')
    await expect.poll(() => bubble(first).evaluate((it) => it.matches(':focus'))).toBe(true)

    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await bubble(first).waitFor({ state: 'detached' })
    expect(playground.transcript(ANN).map(({ text }) => text)).toEqual(['Hello', 'The second'])
  })

  test('a question that is answered by no gives the keyboard back its message', async () => {
    const { say, see } = await openChat()
    const id = await say('Keep me')
    const { page, bubble } = await see()
    await bubble(id).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')

    await page.getByRole('button', { name: 'Cancel' }).press('Enter')

    await expect.poll(() => bubble(id).evaluate((it) => it.matches(':focus'))).toBe(true)
  })

  test('a selected part of a message is quoted in the reply to it', async () => {
    const { playground, say, see } = await openChat()
    const id = await say('One of five seconds costs ₽12.40')
    const { page, bubble } = await see()
    await page.evaluate(
      `(text => getSelection().setBaseAndExtent(text, 0, text, 1))(document.querySelector('#message-${id} .text'))`,
    )

    await bubble(id).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Quote the selection' }).click()
    await page.getByRole('textbox').last().fill('Cheap')
    await page.keyboard.press('Enter')

    await expect
      .poll(() => playground.transcript(ANN).at(-1)?.quote?.text)
      .toBe('One of five seconds costs ₽12.40')
  })

  test('a long press opens the menu, and the finger that goes up leaves it open', async () => {
    const { say, see } = await openChat()
    const id = await say('Press me')
    const { page, bubble } = await see(PHONE)
    const box = await bubble(id).boundingBox()
    const fingers = await page.context().newCDPSession(page)
    const point = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 12 }

    await fingers.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
    await page.getByRole('menu').waitFor()
    await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })

    await page.getByRole('menuitem', { name: 'Reply' }).click()
    await page.getByRole('menu').waitFor({ state: 'detached' })
  })
})
