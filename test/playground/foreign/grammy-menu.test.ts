import { Menu, MenuRange } from '@grammyjs/menu'
import { type Context, type SessionFlavor, session } from 'grammy'
import { expect, test } from 'vitest'
import { openGrammyBot } from './grammy-bots.ts'

// Promise: A bot on grammY, Telegraf or node-telegram-bot-api is given the playground's address
test('a menu opens its submenu and goes back, and its buttons do what they say', async () => {
  const { bot, ann, poll } = await openGrammyBot()
  const main = new Menu('main')
    .text('Greet', (ctx) => ctx.reply('Hello'))
    .row()
    .submenu('About', 'about')
  const about = new Menu('about')
    .text('Version', (ctx) => ctx.answerCallbackQuery('1.0'))
    .back('Back')
  main.register(about)
  bot.use(main)
  bot.command('start', (ctx) => ctx.reply('What shall I do?', { reply_markup: main }))
  await poll()

  const menu = await ann.says('/start')
  await ann.presses(menu, 'About')
  await expect.poll(() => ann.labels(menu)).toEqual([['Version', 'Back']])
  expect(await ann.presses(menu, 'Version')).toBe('1.0')
  await ann.presses(menu, 'Back')
  await expect.poll(() => ann.labels(menu)).toEqual([['Greet'], ['About']])
  await ann.presses(menu, 'Greet')

  await ann.sees('Hello')
})

interface Choice {
  dishes: string[]
  count: number
}

test('a menu with a session records what was chosen and counts', async () => {
  type C = Context & SessionFlavor<Choice>
  const { bot, ann, poll } = await openGrammyBot<C>()
  bot.use(session({ initial: (): Choice => ({ dishes: [], count: 0 }) }))
  const menu = new Menu<C>('choice')
    .dynamic((ctx) => {
      const range = new MenuRange<C>()
      for (const dish of ['Soup', 'Salad']) {
        const isChosen = ctx.session.dishes.includes(dish)
        range
          .text({ text: isChosen ? `${dish} ✓` : dish, payload: dish }, async (pressed) => {
            const { dishes } = pressed.session
            pressed.session.dishes = isChosen
              ? dishes.filter((one) => one !== dish)
              : [...dishes, dish]
            await pressed.menu.update()
          })
          .row()
      }
      return range
    })
    .text(
      (ctx) => `Pressed ${ctx.session.count} times`,
      (ctx) => {
        ctx.session.count++
        ctx.menu.update()
      },
    )
  bot.use(menu)
  bot.command('start', (ctx) => ctx.reply('Choose', { reply_markup: menu }))
  await poll()

  const shown = await ann.says('/start')
  await ann.presses(shown, 'Salad')
  await expect.poll(() => ann.labels(shown).flat()).toContain('Salad ✓')
  await ann.presses(shown, 'Pressed 0 times')
  await expect.poll(() => ann.labels(shown).flat()).toContain('Pressed 1 times')

  expect(ann.labels(shown)).toEqual([['Soup'], ['Salad ✓'], ['Pressed 1 times']])
})
