import { expect, test } from 'vitest'
import { toSafeUrl } from '../../../../src/playground/page/messages/text/safe-url.ts'

test.each([
  ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
  ['example.com', 'http://example.com/'],
  ['localhost:3000/page', 'http://localhost:3000/page'],
  ['mailto:ada@example.com', 'mailto:ada@example.com'],
  ['tel:+79990000000', 'tel:+79990000000'],
])('a link may lead to %s', (address, url) => {
  expect(toSafeUrl(address)).toBe(url)
})

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:http://127.0.0.1/1',
  'file:///etc/passwd',
  'vbscript:x',
  'tg://user?id=1',
  'http://',
])('no link of a message leads to %j', (address) => {
  expect(toSafeUrl(address)).toBeUndefined()
})
