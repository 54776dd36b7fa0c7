import { expect, test } from 'vitest'
import { createTexts } from '../../../../src/bot/locales/texts.ts'
import {
  stopFromBelowKeyboard,
  stopKeyboard,
} from '../../../../src/bot/talk/reply/turn-keyboards.ts'

test.each([stopKeyboard, stopFromBelowKeyboard])(
  '%o has a button that Telegram draws red',
  (make) => {
    const { inline_keyboard } = make({ id: 7n, languageCode: 'en' }, createTexts())

    expect(inline_keyboard).toMatchObject([[{ style: 'danger' }]])
  },
)
