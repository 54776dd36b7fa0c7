/** A proxy through which an operator has connections opened. Only its `name` may be shown. */
export interface ProxyAddress {
  /** Its scheme, host and port, without user and password. */
  name: string
  protocol: 'http' | 'https' | 'socks5'
  host: string
  port: number
  credentials: { user: string; password: string } | undefined
}

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 } as const

/**
 * Reads a list of proxies: URLs with commas between.
 *
 * @returns The proxies in their order, or every problem, in words that quote nothing: a URL may hold a password.
 */
export function parseProxies(
  list: string,
): { value: readonly ProxyAddress[] } | { problems: readonly string[] } {
  const parts = list.split(',').map((part) => parseProxy(part.trim()))
  const problems = parts.flatMap((part, index) => {
    if (typeof part !== 'string') return []
    return [parts.length === 1 ? part : `proxy ${index + 1} of ${parts.length} ${part}`]
  })
  if (problems.length > 0) return { problems }
  return { value: parts.filter((part) => typeof part !== 'string') }
}

function parseProxy(text: string): ProxyAddress | string {
  if (text === '') return 'should not be empty'
  const [scheme] = /^(?:https?|socks5h?):\/\//i.exec(text) ?? []
  if (scheme === undefined) return 'should begin with http://, https:// or socks5://'
  const rest = text.slice(scheme.length)
  // The parser knows hosts only where the scheme is one of the web's.
  const url = /^[/\\]|\s/.test(rest) ? null : URL.parse(`http://${rest}`)
  const protocol = toProtocol(scheme)
  const port = readPort(rest) ?? DEFAULT_PORTS[protocol]
  if (url === null || port === 0) {
    return 'should have a host and a port, as in http://user:password@host:3128'
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return 'should have nothing after its port; in a password @ : / ? # , are %40 %3A %2F %3F %23 %2C'
  }
  const credentials = readCredentials(url)
  if (credentials === 'unreadable') return 'should have % in a password as %25'
  return {
    name: `${protocol}://${url.hostname}:${port}`,
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    credentials,
  }
}

/** With `socks5h` other programs leave names to the proxy. Here every proxy is left them. */
function toProtocol(scheme: string): ProxyAddress['protocol'] {
  const [name] = scheme.toLowerCase().split(':')
  return name === 'http' || name === 'https' ? name : 'socks5'
}

/** Reads the port as it is written: the parser leaves out the one that its scheme has anyway. */
function readPort(rest: string): number | undefined {
  const [, port] = /:(\d+)\/?$/.exec(rest) ?? []
  return port === undefined ? undefined : Number(port)
}

function readCredentials({ username, password }: URL): ProxyAddress['credentials'] | 'unreadable' {
  if (username === '' && password === '') return undefined
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return 'unreadable'
  }
}
