/** Checks whether only this machine reaches who listens on a host: an address, or a name. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

/**
 * Says who gets in where a playground listens.
 *
 * @returns Undefined where only this machine reaches it.
 */
export function describeExposure(host: string): string | undefined {
  if (isLoopback(host)) return undefined
  return `HOST is ${host}: others reach the page, and who has the key in its address reads every chat there, and
writes as anybody. Without HOST it is for this machine alone, and has no key.`
}
