import { expect, test } from 'vitest'
import { createPageOpening, type Surroundings } from '../../src/process/open-page.ts'

const DESKTOP: Surroundings = { env: { DISPLAY: ':0' }, platform: 'linux', isAtTerminal: true }

function openedOn(surroundings: Surroundings, addresses = ['http://127.0.0.1:3001']): string[] {
  const opened: string[] = []
  const open = createPageOpening({ ...surroundings, open: (address) => opened.push(address) })
  for (const address of addresses) open(address)
  return opened
}

test.each<[string, Surroundings]>([
  ['Linux with X', DESKTOP],
  ['Linux with Wayland', { ...DESKTOP, env: { WAYLAND_DISPLAY: 'wayland-0' } }],
  ['macOS', { ...DESKTOP, env: {}, platform: 'darwin' }],
])('the page is opened on a desktop: %s', (_name, surroundings) => {
  expect(openedOn(surroundings)).toEqual(['http://127.0.0.1:3001'])
})

test.each<[string, Surroundings]>([
  ['without a terminal', { ...DESKTOP, isAtTerminal: false }],
  ['without a display', { ...DESKTOP, env: {} }],
  ['over SSH', { ...DESKTOP, env: { ...DESKTOP.env, SSH_CONNECTION: '10.0.0.1 22' } }],
  ['in CI', { ...DESKTOP, env: { ...DESKTOP.env, CI: 'true' } }],
  ['with BROWSER=none', { ...DESKTOP, env: { ...DESKTOP.env, BROWSER: 'none' } }],
])('no page is opened %s', (_name, surroundings) => {
  expect(openedOn(surroundings)).toEqual([])
})

test('a process that begins again opens no second page', () => {
  expect(openedOn(DESKTOP, ['http://127.0.0.1:3001', 'http://127.0.0.1:3001'])).toHaveLength(1)
})
