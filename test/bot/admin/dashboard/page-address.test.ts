import { expect, test } from 'vitest'
import { toPageAddress } from '../../../../src/bot/admin/dashboard/page-address.ts'

const localRoot = 'http://127.0.0.1:3000'

test.each([
  { given: {}, url: `${localRoot}/admin/`, opensIn: 'here' },
  { given: { isPlayground: true }, url: `${localRoot}/admin/`, opensIn: 'telegram' },
  {
    given: { publicUrl: 'https://bot.example.org' },
    url: 'https://bot.example.org/admin/',
    opensIn: 'telegram',
  },
  {
    given: { publicUrl: 'http://bot.example.org' },
    url: 'http://bot.example.org/admin/',
    opensIn: 'browser',
  },
])('with $given the page is at $url and opens in $opensIn', ({ given, url, opensIn }) => {
  expect(toPageAddress({ ...given, localRoot })).toEqual({ url, opensIn })
})
