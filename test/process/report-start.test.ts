import { expect, test } from 'vitest'
import { hasBrowser, type Surroundings } from '../../src/process/report-start.ts'

const DESKTOP: Surroundings = { env: { DISPLAY: ':0' }, platform: 'linux', isAtTerminal: true }

test.each<[string, Surroundings]>([
  ['Linux with X', DESKTOP],
  ['Linux with Wayland', { ...DESKTOP, env: { WAYLAND_DISPLAY: 'wayland-0' } }],
  ['macOS', { ...DESKTOP, env: {}, platform: 'darwin' }],
])('the page is opened on a desktop: %s', (_name, surroundings) => {
  expect(hasBrowser(surroundings)).toBe(true)
})

test.each<[string, Surroundings]>([
  ['without a terminal', { ...DESKTOP, isAtTerminal: false }],
  ['without a display', { ...DESKTOP, env: {} }],
  ['over SSH', { ...DESKTOP, env: { ...DESKTOP.env, SSH_CONNECTION: '10.0.0.1 22' } }],
  ['in CI', { ...DESKTOP, env: { ...DESKTOP.env, CI: 'true' } }],
  ['with BROWSER=none', { ...DESKTOP, env: { ...DESKTOP.env, BROWSER: 'none' } }],
])('no page is opened %s', (_name, surroundings) => {
  expect(hasBrowser(surroundings)).toBe(false)
})
