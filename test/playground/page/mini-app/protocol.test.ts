import { expect, test } from 'vitest'
import {
  type MiniAppHost,
  takeFromMiniApp,
} from '../../../../src/playground/page/mini-app/protocol.ts'

test('a Mini App that asks for the theme, the room and the safe area is answered each', () => {
  const { host, calls } = createHost()

  for (const name of ['theme', 'viewport', 'safe_area', 'content_safe_area']) {
    takeFromMiniApp(host, say(`web_app_request_${name}`))
  }

  expect(calls).toEqual([
    ['send', 'theme_changed', { theme_params: { bg_color: '#ffffff' } }],
    [
      'send',
      'viewport_changed',
      { height: 700, width: 400, is_expanded: true, is_state_stable: true },
    ],
    ['send', 'safe_area_changed', { top: 0, right: 0, bottom: 0, left: 0 }],
    ['send', 'content_safe_area_changed', { top: 0, right: 0, bottom: 0, left: 0 }],
  ])
})

test('what a Mini App says of its buttons reaches the frame, and nothing that it left out', () => {
  const { host, calls } = createHost()

  takeFromMiniApp(host, say('web_app_setup_back_button', { is_visible: true }))
  takeFromMiniApp(host, say('web_app_setup_main_button', { text: 'Save', is_visible: true }))
  takeFromMiniApp(host, say('web_app_setup_secondary_button', { is_active: false, color: '#123' }))

  expect(calls).toEqual([
    ['setBack', true],
    ['setBottomButton', 'main', { text: 'Save', isVisible: true }],
    ['setBottomButton', 'secondary', { isActive: false }],
  ])
})

test('data of an event counts the same as an object and as JSON', () => {
  const { host, calls } = createHost()
  const eventData = JSON.stringify({ url: 'https://example.com/' })

  takeFromMiniApp(host, JSON.stringify({ eventType: 'web_app_open_link', eventData }))

  expect(calls).toEqual([['openLink', 'https://example.com/']])
})

test('a popup without buttons or with broken ones is shown with what there is', () => {
  const { host, calls } = createHost()

  takeFromMiniApp(host, say('web_app_open_popup', { message: 'Sure?', buttons: [{ id: 7 }, 'x'] }))
  takeFromMiniApp(host, say('web_app_open_popup', { message: 'So it is', buttons: 'none' }))

  expect(calls).toEqual([
    [
      'showPopup',
      {
        title: '',
        message: 'Sure?',
        buttons: [
          { id: '7', type: 'default', text: '' },
          { id: '', type: 'default', text: '' },
        ],
      },
    ],
    ['showPopup', { title: '', message: 'So it is', buttons: [] }],
  ])
})

test('what a frame cannot do is answered with its request id, so that no app waits for ever', () => {
  const { host, calls } = createHost()

  takeFromMiniApp(host, say('web_app_invoke_custom_method', { req_id: 'a', method: 'getStorage' }))
  takeFromMiniApp(host, say('web_app_device_storage_get_key', { req_id: 'b', key: 'k' }))
  takeFromMiniApp(host, say('web_app_request_fullscreen'))

  expect(calls).toEqual([
    ['send', 'custom_method_invoked', { req_id: 'a', error: 'UNSUPPORTED' }],
    ['send', 'device_storage_failed', { req_id: 'b', error: 'UNSUPPORTED' }],
    ['send', 'fullscreen_failed', { error: 'UNSUPPORTED' }],
  ])
})

test.each([
  ['no JSON', 'hello'],
  ['no object', '7'],
  ['nothing', undefined],
  ['an event of nobody', say('toString')],
  ['an event without a name', '{}'],
])('%s in a message of a frame does nothing', (_what, message) => {
  const { host, calls } = createHost()

  takeFromMiniApp(host, message)

  expect(calls).toEqual([])
})

function say(eventType: string, eventData?: unknown): string {
  return JSON.stringify({ eventType, eventData })
}

/** A host that records what it is asked to do. */
function createHost() {
  const calls: unknown[][] = []
  const record =
    (name: string) =>
    (...what: unknown[]) => {
      calls.push([name, ...what])
    }
  const host: MiniAppHost = {
    send: record('send'),
    isReady: record('isReady'),
    close: record('close'),
    setBack: record('setBack'),
    setSettings: record('setSettings'),
    setBottomButton: record('setBottomButton'),
    setAsksBeforeClosing: record('setAsksBeforeClosing'),
    openLink: record('openLink'),
    openTelegramLink: record('openTelegramLink'),
    showPopup: record('showPopup'),
    sendData: record('sendData'),
    themeParams: () => ({ bg_color: '#ffffff' }),
    viewport: () => ({ height: 700, width: 400 }),
  }
  return { host, calls }
}
