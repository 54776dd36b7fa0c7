import { expect, test } from 'vitest'
import { describeInBrowser } from '../dashboard/page-setup.ts'
import { ANN, openChat, topOf } from './messages-setup.ts'

const LINE = 'A line of some length, so that there is something to scroll. '

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
})
