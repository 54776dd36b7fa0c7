import { signal } from '@preact/signals'

/** The view that an address opens: `#/1001/-100500/7?panel`. */
export interface Route {
  /** The person at the page; undefined until the playground has answered. */
  as: number | undefined
  chatId: number | undefined
  /** The topic of a forum: 0 is General, undefined shows the list of topics. */
  threadId: number | undefined
  hasPanel: boolean
}

/** The address after `#`; Back and Forward move in it. */
export const route = signal(readRoute())

export function followRoute(): void {
  addEventListener('hashchange', () => {
    route.value = readRoute()
  })
}

/** Returns the current address with some parts changed. Another person or chat drops the parts after it. */
export function hrefOf(change: Partial<Route>): string {
  const { as, chatId, threadId, hasPanel } = { ...keptBy(change), ...change }
  const path = [as, chatId, threadId]
  const end = path.indexOf(undefined)
  return `#/${path.slice(0, end === -1 ? path.length : end).join('/')}${hasPanel ? '?panel' : ''}`
}

/** Goes to another view; Back returns from it. */
export function show(change: Partial<Route>): void {
  location.hash = hrefOf(change)
  // At once: the next key may come before the browser's event.
  route.value = readRoute()
}

export function replaceRoute(change: Partial<Route>): void {
  history.replaceState(null, '', hrefOf(change))
  route.value = readRoute()
}

function keptBy(change: Partial<Route>): Route {
  const now = route.value
  if ('as' in change) return { ...now, chatId: undefined, threadId: undefined }
  return 'chatId' in change ? { ...now, threadId: undefined } : now
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [as, chatId, threadId] = path.split('/').map(toId)
  return { as, chatId, threadId, hasPanel: new URLSearchParams(query).has('panel') }
}

function toId(part: string): number | undefined {
  const id = Number(part)
  return part !== '' && Number.isSafeInteger(id) ? id : undefined
}
