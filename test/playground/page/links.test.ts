import { expect, test } from 'vitest'
import { launchUrl, toSafeUrl } from '../../../src/playground/page/links.ts'

const INIT_DATA = 'user=%7B%7D&hash=ab+c'

test('launchUrl() adds the launch parameters of Telegram after the #', () => {
  const url = new URL(launchUrl('http://127.0.0.1:3000/admin/?x=1', INIT_DATA))

  const pairs = new URLSearchParams(url.hash.slice(1))
  expect(`${url.origin}${url.pathname}${url.search}`).toBe('http://127.0.0.1:3000/admin/?x=1')
  expect(pairs.get('tgWebAppData')).toBe(INIT_DATA)
  expect(pairs.get('tgWebAppPlatform')).toBe('weba')
  expect(pairs.get('tgWebAppVersion')).toBe('9.6')
  expect(pairs.get('tgWebAppThemeParams')).toBe('{}')
  expect(url.hash).not.toContain('+')
})

test.each([
  ['http://localhost:1/#/spend', '#/spend?tgWebAppData='],
  ['http://localhost:1/#a=b', '#a=b&tgWebAppData='],
  ['http://localhost:1/#', '#tgWebAppData='],
])('launchUrl() puts the fragment of %s before the launch parameters', (given, begin) => {
  expect(new URL(launchUrl(given, INIT_DATA)).hash.slice(0, begin.length)).toBe(begin)
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'no address'])(
  'launchUrl() rejects %s',
  (given) => {
    expect(() => launchUrl(given, INIT_DATA)).toThrow('Cannot open Mini App')
  },
)

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
