import { expect, test } from 'vitest'
import { isFramed, launchUrl } from '../../../../src/playground/page/mini-app/launch-url.ts'

const LAUNCH = { initData: 'user=%7B%7D&hash=ab+c', themeParams: { bg_color: '#ffffff' } }

test('the address of a Mini App has what Telegram hands it, after the #', () => {
  const url = new URL(launchUrl('http://127.0.0.1:3000/admin/?x=1', LAUNCH))

  const pairs = new URLSearchParams(url.hash.slice(1))
  expect(`${url.origin}${url.pathname}${url.search}`).toBe('http://127.0.0.1:3000/admin/?x=1')
  expect(pairs.get('tgWebAppData')).toBe(LAUNCH.initData)
  expect(pairs.get('tgWebAppPlatform')).toBe('weba')
  expect(pairs.get('tgWebAppVersion')).toBe('9.6')
  expect(pairs.get('tgWebAppThemeParams')).toBe('{"bg_color":"#ffffff"}')
  expect(url.hash).not.toContain('+')
})

test.each([
  ['http://localhost:1/#/spend', '#/spend?tgWebAppData='],
  ['http://localhost:1/#a=b', '#a=b&tgWebAppData='],
  ['http://localhost:1/#', '#tgWebAppData='],
])('the part after # of %s stays before what Telegram adds', (given, begin) => {
  expect(new URL(launchUrl(given, LAUNCH)).hash).toMatch(
    new RegExp(`^${begin.replace('?', '\\?')}`),
  )
})

test('an app of a reply keyboard does not learn who opens it', () => {
  expect(launchUrl('http://localhost:1/', { ...LAUNCH, initData: '' })).not.toContain(
    'tgWebAppData',
  )
})

test.each([
  ['http://127.0.0.1:3000/admin/', true],
  ['http://localhost:5173/', true],
  ['https://example.com/', false],
  ['http://localhost.example.com/', false],
  ['http://127.0.0.1.nip.io/', false],
  ['http://127.0.0.1@example.com/', false],
  ['javascript:alert(1)', false],
  ['no address', false],
])('%s is shown in a frame: %s', (url, isShown) => {
  expect(isFramed(url)).toBe(isShown)
})
