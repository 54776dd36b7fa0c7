import { expect, test } from 'vitest'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { ANN, openChat, topOf } from './messages-setup.ts'

const LINE = 'A line of some length, so that there is something to scroll. '

/** Records in which rows anything changes. */
const WATCH_ROWS = `
  globalThis.changed = new Set()
  new MutationObserver((mutations) => {
    for (const { target } of mutations) {
      const row = (target.closest ? target : target.parentElement)?.closest('.message-row')
      if (row) changed.add(row)
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
`

describeInBrowser('where a reader of the playground’s page is', () => {
  test('the end stays in sight while the last message grows', async () => {
    const { api, say, see } = await openChat()
    for (let index = 0; index < 30; index += 1) await say(LINE)
    const id = await say('begun')
    const { bubble, below } = await see()

    for (let length = 1; length <= 20; length += 1) {
      await api.editMessageText(ANN, id, LINE.repeat(2 * length))
    }
    await api.editMessageText(ANN, id, `${LINE.repeat(40)} ended`)

    await bubble(id).getByText('ended').waitFor()
    await expect.poll(below).toBe(0)
  })

  test('who reads above stays there while the end grows, and is led to it with a count', async () => {
    const { api, say, see } = await openChat()
    const ids: number[] = []
    for (let index = 0; index < 40; index += 1) ids.push(await say(LINE))
    const last = ids.at(-1) ?? 0
    const { page, bubble, below, scrollTo } = await see()
    await scrollTo(600)
    const button = page.getByRole('button', { name: /To the last message/ })
    await button.waitFor()
    const read = bubble(ids[20] ?? 0)
    const top = await topOf(read)

    await api.editMessageText(ANN, last, LINE.repeat(30))
    await say('one')
    await say('two')

    await page.getByRole('button', { name: 'To the last message: 2 new messages' }).waitFor()
    // A window scrolls by whole pixels, and rows have parts of one.
    expect(Math.abs((await topOf(read)) - top)).toBeLessThan(1)

    await button.click()
    await expect.poll(below).toBe(0)
    await button.waitFor({ state: 'detached' })
  })

  test('older messages come in above what is read, which stays where it is', async () => {
    const { say, see } = await openChat()
    const ids: number[] = []
    for (let index = 0; index < 120; index += 1) ids.push(await say(`${LINE}${index}`))
    const { page, bubble, scrollTo } = await see()
    const first = await page.locator('.bubble').first().getAttribute('id')
    const read = page.locator(`#${first}`)

    await scrollTo(300)
    const top = await topOf(read)
    await expect.poll(() => page.locator('.bubble').first().getAttribute('id')).not.toBe(first)

    expect(Math.abs((await topOf(read)) - top)).toBeLessThan(1)

    await expect
      .poll(async () => {
        await scrollTo(0)
        return bubble(ids[0] ?? 0).count()
      })
      .toBe(1)
  })

  test('in a long chat an edit draws one message again, and no other', async () => {
    const { api, say, see } = await openChat()
    let id = 0
    for (let index = 0; index < 45; index += 1) id = await say(`${LINE}${index}`)
    const { page, bubble } = await see()
    await page.evaluate(WATCH_ROWS)

    await api.editMessageText(ANN, id, 'Edited')

    await bubble(id).getByText('Edited').waitFor()
    expect(await page.evaluate('changed.size')).toBe(1)
  })

  test('a reply leads to the message that it answers, also where that is not loaded yet', async () => {
    const { say, see } = await openChat()
    const asked = await say('What was asked')
    for (let index = 0; index < 80; index += 1) await say(`${LINE}${index}`)
    await say('The answer', { reply_parameters: { message_id: asked } })
    const { page, bubble } = await see()

    await page.getByRole('button', { name: /What was asked/ }).click()

    await expect.poll(() => bubble(asked).count()).toBe(1)
    await expect.poll(() => topOf(bubble(asked))).toBeGreaterThan(0)
  })
})
