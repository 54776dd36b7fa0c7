import { expect, test } from 'vitest'
import { isFramed, launchUrl } from '../../../../src/playground/page/mini-app/launch-url.ts'

const TOLD = { initData: 'user=%7B%7D&hash=ab+c', themeParams: { bg_color: '#ffffff' } }

test('the address of a Mini App tells it what Telegram tells, after the #', () => {
  const url = new URL(launchUrl('http://127.0.0.1:3000/admin/?x=1', TOLD))

  const told = new URLSearchParams(url.hash.slice(1))
  expect(`${url.origin}${url.pathname}${url.search}`).toBe('http://127.0.0.1:3000/admin/?x=1')
  expect(told.get('tgWebAppData')).toBe(TOLD.initData)
  expect(told.get('tgWebAppPlatform')).toBe('weba')
  expect(told.get('tgWebAppVersion')).toBe('9.6')
  expect(told.get('tgWebAppThemeParams')).toBe('{"bg_color":"#ffffff"}')
  expect(url.hash).not.toContain('+')
})

test.each([
  ['http://localhost:1/#/spend', '#/spend?tgWebAppData='],
  ['http://localhost:1/#a=b', '#a=b&tgWebAppData='],
  ['http://localhost:1/#', '#tgWebAppData='],
])('the part after # of %s stays before what Telegram tells', (given, begin) => {
  expect(new URL(launchUrl(given, TOLD)).hash).toMatch(new RegExp(`^${begin.replace('?', '\\?')}`))
})

test('an app of a reply keyboard is not told who opens it', () => {
  expect(launchUrl('http://localhost:1/', { ...TOLD, initData: '' })).not.toContain('tgWebAppData')
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
