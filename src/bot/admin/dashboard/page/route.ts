import { signal } from '@preact/signals'

/** The view and its filters: the parts of the path, and its query. */
export interface Route {
  path: readonly string[]
  query: URLSearchParams
}

/** The address after `#`; Back and Forward move in it. */
export const route = signal(readRoute())

/** Follows the address from now on. */
export function followRoute(): void {
  addEventListener('hashchange', () => {
    route.value = readRoute()
  })
}

/** The address of a view: `#/users/7?span=30d`. What is undefined or empty is left out. */
export function hrefOf(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(set.map(([name, value]) => [name, String(value)]))
  return `#/${path.join('/')}${set.length > 0 ? `?${search}` : ''}`
}

/** Shows the same view otherwise filtered; Back leaves the view. */
export function replaceRoute(href: string): void {
  history.replaceState(null, '', href)
  route.value = readRoute()
}

/** Goes from a detail to what it belongs to, also where the page was opened on it. */
export function goBack(): void {
  const { path } = route.value
  if (history.length > 1 && path.length > 1) history.back()
  else replaceRoute(hrefOf(path.slice(0, -1)))
}

/**
 * Takes the token of a sign-in out of the address (`#link=…`), so that it stays in no history and on no
 * screenshot. What Telegram puts there is its launch, not a route.
 */
export function takeLink(): string | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1))
  const link = parameters.get('link') ?? undefined
  if (link !== undefined || parameters.has('tgWebAppVersion')) replaceRoute('#/')
  return link
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) }
}
