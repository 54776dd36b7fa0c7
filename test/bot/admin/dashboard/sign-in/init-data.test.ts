import { expect, test } from 'vitest'
import { checkInitData } from '../../../../../src/bot/admin/dashboard/sign-in/init-data.ts'
import { makeInitData } from '../../../../../src/playground/control/mini-apps.ts'
import { BOT_TOKEN } from '../dashboard-setup.ts'

const NOW = new Date('2026-11-22T12:00:00Z')
const HOUR_S = 3600
const USER = { id: 42, is_bot: false, first_name: 'Анна "A" & Co', language_code: 'ru' }

function signed({ ageS = 0, token = BOT_TOKEN } = {}): string {
  return makeInitData(USER, { token, at: new Date(NOW.getTime() - ageS * 1000) })
}

function check(initData: string) {
  return checkInitData(initData, { botToken: BOT_TOKEN, now: NOW })
}

function changed(change: (fields: URLSearchParams) => void): string {
  const fields = new URLSearchParams(signed())
  change(fields)
  return fields.toString()
}

test('checkInitData() reads the user out of what Telegram signed for the bot', () => {
  expect(check(signed())).toMatchObject({ userId: 42 })
})

test('checkInitData() refuses data that is forged, changed or cut', () => {
  const ofOther = JSON.stringify({ ...USER, id: 43 })

  expect(check(signed({ token: '123457:token-of-another-bot' }))).toBe('invalid')
  expect(check(changed((fields) => fields.set('user', ofOther)))).toBe('invalid')
  expect(check(changed((fields) => fields.append('user', ofOther)))).toBe('invalid')
  expect(check(changed((fields) => fields.set('auth_date', '1800000000')))).toBe('invalid')
  expect(check(changed((fields) => fields.set('start_param', 'x')))).toBe('invalid')
  expect(check(changed((fields) => fields.delete('signature')))).toBe('invalid')
  expect(check(changed((fields) => fields.delete('hash')))).toBe('invalid')
  expect(check(changed((fields) => fields.set('hash', '')))).toBe('invalid')
  expect(check(changed((fields) => fields.set('hash', 'ы'.repeat(64))))).toBe('invalid')
  const whole = signed()
  for (let chars = 0; chars < whole.length; chars += 1) {
    expect(check(whole.slice(0, chars))).toBe('invalid')
  }
})

test('checkInitData() refuses data that is older than ten minutes, and data of the future', () => {
  expect(check(signed({ ageS: 600 }))).toMatchObject({ userId: 42 })
  expect(check(signed({ ageS: 601 }))).toBe('expired')
  expect(check(signed({ ageS: 24 * HOUR_S }))).toBe('expired')
  expect(check(signed({ ageS: -60 }))).toMatchObject({ userId: 42 })
  expect(check(signed({ ageS: -61 }))).toBe('invalid')
})
