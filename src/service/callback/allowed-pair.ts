const PAIR = /^((?:\[[\da-f:.]+\])|[^\s:@/?#\\[\]]+):(\d{1,5})$/i

/** A host and a port as the guard compares them: `receiver.lan:8080`, `[::1]:8080`. */
export type AllowedPair = string

/** @returns What `host:port` means as a pair; undefined if it is none. */
export function parseAllowedPair(text: string): AllowedPair | undefined {
  const [, host, port] = PAIR.exec(text) ?? []
  const url = URL.parse(`http://${host}`)
  if (host === undefined || url === null || Number(port) < 1 || Number(port) > 65_535) {
    return undefined
  }
  return `${url.hostname}:${Number(port)}`
}

/** The pair that an http(s) URL leads to, its port written out. */
export function toPair({ protocol, hostname, port }: URL): AllowedPair {
  return `${hostname}:${port === '' ? defaultPort(protocol) : port}`
}

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80
}
